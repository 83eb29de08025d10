-- Who people are and how they prove it. Secrets are never here: passwords as Argon2id, tokens and keys as SHA-256,
-- private signing keys encrypted with the service's secret file.

create table users (
  id text primary key,
  -- Normalised: trimmed, NFKC, lower case. One account for one address.
  email text not null unique,
  email_verified_at timestamptz,
  name text,
  role text not null check (role in ('customer', 'operator', 'admin')),
  -- Null: this account has no password, its owner signs in otherwise.
  password_hash text,
  disabled_at timestamptz,
  -- When the role or `disabled_at` last changed: credentials handed out before are looked at again.
  access_changed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index users_access_changed on users (access_changed_at) where access_changed_at is not null;

-- What a mailed link proves. One row for one purpose: a newer link replaces an older one.
create table email_tokens (
  user_id text not null references users on delete cascade deferrable initially deferred,
  purpose text not null check (purpose in ('verify_email', 'reset_password')),
  token_hash text not null unique,
  expires_at timestamptz not null,
  primary key (user_id, purpose)
);

-- The last mails of one kind to one address, newest first: what the sending caps look at.
create table mail_history (
  kind text not null,
  address text not null,
  sent_at timestamptz[] not null,
  primary key (kind, address)
);

create table sessions (
  id text primary key,
  user_id text not null references users on delete cascade,
  ip_address text not null,
  user_agent text not null,
  created_at timestamptz not null,
  -- When and how the person last proved who they are; a refresh changes neither.
  authenticated_at timestamptz not null,
  authentication_methods text[] not null,
  last_seen_at timestamptz not null,
  -- The end of the newest refresh token, and the end that no refresh moves.
  refresh_expires_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text check (end_reason in ('logout', 'revoked', 'credential_changed', 'refresh_reuse', 'disabled'))
);
create index sessions_by_user on sessions (user_id, id) where ended_at is null;
create index sessions_ended on sessions (ended_at) where ended_at is not null;

-- Every refresh token of a session, so that one that was stolen and used late is recognised.
create table refresh_tokens (
  token_hash text primary key,
  session_id text not null references sessions on delete cascade,
  expires_at timestamptz not null,
  rotated_at timestamptz,
  -- The token that replaced this one, encrypted under a key that only the bearer of this one can derive.
  successor_sealed bytea
);
create index refresh_tokens_by_session on refresh_tokens (session_id);
create index refresh_tokens_expiry on refresh_tokens (expires_at);

-- How often a secret was guessed lately, by who is guessed or who guesses.
create table attempt_pools (
  -- Collated by bytes, so that all pools of one account are found by the start of their names.
  pool text collate "C" primary key,
  -- How many failures this pool allows before it is blocked.
  capacity int not null,
  in_flight timestamptz[] not null default '{}',
  failures timestamptz[] not null default '{}',
  blocks timestamptz[] not null default '{}',
  blocked_until timestamptz,
  block text check (block in ('temporary', 'extended')),
  updated_at timestamptz not null
);
create index attempt_pools_age on attempt_pools (updated_at);

create table api_keys (
  id text primary key,
  user_id text not null references users on delete cascade,
  name text not null,
  permissions text[] not null,
  key_hash text not null unique,
  start text not null,
  last4 text not null,
  -- After a rotation the key before still works for as long as its owner chose.
  previous_key_hash text unique,
  previous_expires_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_by_user on api_keys (user_id, id) where revoked_at is null;

create table signing_keys (
  kid text primary key,
  -- Access tokens live minutes, statements (receipts) are checked years later: their keys age differently.
  purpose text not null check (purpose in ('access_token', 'statement')),
  state text not null check (state in ('next', 'current', 'retired')),
  public_jwk jsonb not null,
  private_key_encrypted bytea not null,
  created_at timestamptz not null,
  retired_at timestamptz
);
create unique index signing_keys_one_in_use on signing_keys (purpose, state) where state in ('next', 'current');
