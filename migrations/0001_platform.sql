-- What no single feature owns: answers kept for repeated requests, messages, and the facts that clients follow.

create table idempotency_keys (
  caller text not null,
  key text not null,
  request_hash text not null,
  status int not null,
  body json not null,
  headers json not null,
  expires_at timestamptz not null,
  primary key (caller, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

create table outbox_messages (
  id bigint generated always as identity primary key,
  channel text not null check (channel in ('email', 'sms')),
  recipient text not null,
  subject text,
  text text not null,
  created_at timestamptz not null
);

create table events (
  id text primary key,
  -- Readers go by the writing transaction and stop before the oldest one still open,
  -- so that a slow transaction cannot slip an event in behind a reader's position.
  transaction_id xid8 not null default pg_current_xact_id(),
  position bigint generated always as identity,
  type text not null,
  subject text not null,
  owner_id text not null,
  sequence int not null,
  data json not null,
  created_at timestamptz not null,
  unique (subject, sequence)
);
create index events_reading on events (transaction_id, position);
create index events_by_owner on events (owner_id, transaction_id, position);
