-- When a used refresh token was presented again for the first time. Later repetitions add no security event.
alter table refresh_tokens add column repeated_at timestamptz;
