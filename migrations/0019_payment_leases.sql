-- Who asks a provider about an attempt or a refund holds its lease by a token of their own, and only the holder moves it
-- on: a process that was slow, and was taken for dead, changes nothing any more. No token: nobody asks at the moment.
alter table payment_attempts
  add column lease_token uuid,
  -- How often giving its money back has failed: the pauses grow with it.
  add column release_tries int not null default 0;
alter table refunds add column lease_token uuid;
