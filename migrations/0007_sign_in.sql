-- Second factors, passkeys, sign-in by a provider, and the record of what happened to accounts.

alter table users
  -- When the person first signed in; from then on an unknown device is worth a mail.
  add column first_sign_in_at timestamptz,
  -- Devices that were known before this moment are strangers again: the password was set anew.
  add column devices_since timestamptz,
  -- Which second factors the account has. Kept beside the factors, so that whoever holds the row sees the present state.
  add column mfa_methods text[] not null default '{}',
  -- Before the address was verified it was registered with different passwords: none of them can be trusted.
  add column password_contested boolean not null default false,
  add column deleted_at timestamptz,
  -- When nothing of a deleted person was left; until then a job looks for what could not go at once.
  add column erased_at timestamptz;
create index users_to_erase on users (deleted_at) where deleted_at is not null and erased_at is null;

alter table email_tokens
  -- The address that a change of address leads to.
  add column new_email text,
  -- The session that asked for it: it outlives the change.
  add column session_id text,
  drop constraint email_tokens_purpose_check,
  add check (purpose in ('verify_email', 'reset_password', 'change_email'));

alter table sessions
  drop constraint sessions_end_reason_check,
  add check (end_reason in ('logout', 'revoked', 'credential_changed', 'refresh_reuse', 'disabled', 'deleted'));
-- Ended ones too: what is left of them is cleared with the account.
drop index sessions_by_user;
create index sessions_by_user on sessions (user_id, ended_at, id);

alter table signing_keys
  -- A retired key signs nothing any more: its private half is destroyed, its public half checks what it signed.
  alter column private_key_encrypted drop not null,
  -- Known to others: what it signed is no longer believed.
  add column revoked_at timestamptz,
  add check (private_key_encrypted is not null or state = 'retired');

alter table attempt_pools
  -- Whose account is guarded, where that is known; set with a block, for the record of its end.
  add column user_id text,
  -- Failures of a day, in pools that guard something short enough to be guessed slowly.
  add column failures_of_a_day timestamptz[] not null default '{}';

alter table api_keys
  -- When it was last recorded that the key was presented after its end.
  add column misuse_recorded_at timestamptz;
-- Revoked ones too, for the same reason.
drop index api_keys_by_user;
create index api_keys_by_user on api_keys (user_id, id);

-- One-time codes: by authenticator app (TOTP, RFC 6238) or text message.
create table mfa_factors (
  id text primary key,
  user_id text not null references users on delete cascade,
  method text not null check (method in ('totp', 'sms')),
  -- TOTP: the shared secret, encrypted with the service's secret.
  secret_encrypted bytea,
  -- SMS: E.164.
  phone_number text,
  created_at timestamptz not null,
  -- Null until a first code has proved that the person has it; such a factor counts for nothing.
  confirmed_at timestamptz,
  -- The end of a factor that is never confirmed.
  pending_until timestamptz not null,
  -- TOTP: the newest time step whose code was used. None up to it is taken again.
  last_step bigint,
  last_used_at timestamptz,
  check ((method = 'totp') = (secret_encrypted is not null) and (method = 'sms') = (phone_number is not null))
);
create unique index mfa_factors_one_of_a_kind on mfa_factors (user_id, method) where confirmed_at is not null;
create index mfa_factors_by_user on mfa_factors (user_id);

create table recovery_codes (
  user_id text not null references users on delete cascade,
  code_hash text not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- WebAuthn credentials (passkeys, security keys).
create table passkeys (
  id text primary key,
  user_id text not null references users on delete cascade,
  credential_id bytea not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  device_type text not null,
  backed_up boolean not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_user on passkeys (user_id, id);

-- The random user handle by which an authenticator knows the account; says nothing about the person.
create table passkey_handles (
  user_id text primary key references users on delete cascade,
  handle bytea not null unique
);

-- A password (or a provider) was right and a second factor is due.
create table pending_sign_ins (
  token_hash text primary key,
  user_id text not null references users on delete cascade,
  -- The first factor, for the record: a password, or a provider's name.
  way text not null,
  methods text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index pending_sign_ins_by_user on pending_sign_ins (user_id);
create index pending_sign_ins_expiry on pending_sign_ins (expires_at);

-- What a code or a signature must answer. Used once, for one purpose, by whom it was made for.
create table auth_challenges (
  id text primary key,
  kind text not null check (kind in ('sms', 'webauthn')),
  purpose text not null check (purpose in ('enroll', 'sign_in', 'second_factor', 'step_up')),
  -- Null: a sign-in without a name; the credential tells whose it is.
  user_id text references users on delete cascade,
  -- What it is bound to: a session's id, the hash of a pending sign-in's token, or a factor's id.
  bound_to text,
  -- WebAuthn: the random bytes. SMS: the hash of the code.
  expected bytea not null,
  phone_number text,
  -- SMS: wrong codes so far. After a few of them the right one is not taken either.
  wrong_codes int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index auth_challenges_by_user on auth_challenges (user_id);
create index auth_challenges_expiry on auth_challenges (expires_at);

-- Text messages sent, for the limits against pumping. The number is kept as a keyed hash.
create table sms_history (
  id bigint generated always as identity primary key,
  number_hash text not null,
  prefix text not null,
  user_id text,
  address_key text not null,
  -- Anybody can enrol any number: such messages must not use up those by which its owner signs in.
  purpose text not null check (purpose in ('enroll', 'second_factor', 'step_up')),
  sent_at timestamptz not null
);
create index sms_history_by_number on sms_history (number_hash, sent_at);
create index sms_history_by_time on sms_history (sent_at);
create index sms_history_by_user on sms_history (user_id);

-- Accounts at other providers that open an account here.
create table identities (
  provider text not null check (provider in ('google', 'github')),
  subject text not null,
  user_id text not null references users on delete cascade,
  -- As the provider last told it; for the owner to recognise it, nothing is decided by it.
  label text,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (provider, subject),
  unique (user_id, provider)
);

-- A visit to a provider that is under way.
create table oauth_flows (
  state_hash text primary key,
  provider text not null,
  -- Hash of the cookie of the browser that began it.
  browser_hash text not null,
  -- PKCE verifier and nonce, encrypted with the service's secret.
  sealed bytea not null,
  redirect_uri text,
  client_state text,
  code_challenge text,
  -- Linking: whose account, and the session that began it.
  link_user_id text references users on delete cascade,
  link_session_id text references sessions on delete cascade,
  expires_at timestamptz not null
);
create index oauth_flows_expiry on oauth_flows (expires_at);
-- The rows they refer to are deleted: without an index, each deletion reads all flows.
create index oauth_flows_by_user on oauth_flows (link_user_id) where link_user_id is not null;
create index oauth_flows_by_session on oauth_flows (link_session_id) where link_session_id is not null;

-- What the client redeems for tokens after the provider sent the browser back.
create table oauth_codes (
  code_hash text primary key,
  user_id text not null references users on delete cascade,
  methods text[] not null,
  provider text not null,
  code_challenge text,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index oauth_codes_expiry on oauth_codes (expires_at);
create index oauth_codes_by_user on oauth_codes (user_id);

-- What happened to accounts. Rows are added, then sealed into a chain; afterwards no row changes or disappears unnoticed.
create table security_events (
  id text primary key,
  type text not null,
  result text not null check (result in ('success', 'failure')),
  -- Whose account; not a reference, because the record outlives the account.
  user_id text,
  -- Who did it: a user's id, `system`, or `operator` for the command line.
  actor text,
  session_id text,
  method text,
  details jsonb not null,
  -- JSON of what identifies a person, as it was digested. It is removed with the account; the digest stays in the chain.
  personal text,
  personal_salt bytea,
  personal_digest bytea not null,
  recorded_at timestamptz not null,
  -- Place in the chain, and the seal over this row and the seal before it. Null for a moment after the row was added.
  sequence bigint,
  seal bytea,
  check ((sequence is null) = (seal is null))
);
create index security_events_by_user on security_events (user_id, id);
create unique index security_events_chain on security_events (sequence) where sequence is not null;
-- What somebody did to the accounts of others.
create index security_events_by_actor on security_events (actor) where actor <> user_id;
create index security_events_unsealed on security_events (id) where sequence is null;
-- What administrators look for. Refreshes are most of the rows: they are found without an index, and shall not cost more.
create index security_events_by_type on security_events (type, id) where type <> 'refresh';
create index security_events_failed on security_events (id) where result = 'failure';
-- Rows are written in the order of time, and a refresh writes one: this costs next to nothing.
create index security_events_by_time on security_events using brin (recorded_at);

-- Where the chain begins, after its oldest part has passed its time and was removed.
create table security_chain_start (
  only_row boolean primary key default true check (only_row),
  -- The last row that was removed.
  sequence bigint not null,
  seal bytea not null,
  -- Over both, with the service's secret: otherwise the oldest rows could be removed by anybody, and the start moved.
  proof bytea not null
);

create function refuse_change_of_record() returns trigger language plpgsql as $$
begin
  raise exception 'security events are only ever added';
end $$;
-- Conditions rather than code: sealing changes every row once, and must not run a function for each.
create trigger security_events_unchanged
  before update of id, type, result, user_id, actor, session_id, method, details, personal_digest, recorded_at
  on security_events for each row execute function refuse_change_of_record();
create trigger security_events_sealed_once before update of sequence, seal on security_events for each row
  when (old.sequence is not null or new.sequence is null) execute function refuse_change_of_record();
create trigger security_events_personal_only_removed before update of personal, personal_salt on security_events for each row
  when (new.personal is not null or new.personal_salt is not null) execute function refuse_change_of_record();
create trigger security_events_kept before delete on security_events for each row
  when (old.sequence is null or coalesce(current_setting('platen.audit_prune', true), '') <> 'on')
  execute function refuse_change_of_record();
create trigger security_events_not_truncated before truncate on security_events
  for each statement execute function refuse_change_of_record();

-- Price locks and designs are deleted with an account; whether an order needs one must not take a reading of all orders.
create index order_items_by_price_lock on order_items (finalization_id, price_lock);
