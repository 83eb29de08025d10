-- Addresses that are told of events, and what was told to them.

create table webhook_endpoints (
  id text primary key,
  owner_id text not null,
  url text not null,
  -- Null: every type, also those that come later.
  types text[],
  description text,
  status text not null check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('by_owner', 'gone', 'failing')),
  disabled_at timestamptz,
  -- Encrypted with a key of the installation; what is sent has to be signed with it. Null once the endpoint is deleted.
  secret_sealed bytea,
  -- From before a rotation: signs beside the new one until then.
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  -- The newest event there was when it was last enabled: it is told of later ones only.
  since_transaction_id xid8 not null,
  since_position bigint not null,
  -- Where events are handed on to it from; null: from where they are for all. Set while it has too much to receive
  -- already, so that one that is down for days does not fill the database.
  behind_transaction_id xid8,
  behind_position bigint,
  -- Attempts that failed since the last one that succeeded.
  failures int not null default 0,
  failing_since timestamptz,
  -- Nothing is sent to it before: one that is down is not asked all the time.
  paused_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Its deliveries are being deleted; it goes with the last of them.
  deleted_at timestamptz,
  constraint webhook_endpoints_disabled check (
    (status = 'disabled') = (disabled_reason is not null) and (status = 'disabled') = (disabled_at is not null)
  ),
  constraint webhook_endpoints_secret check ((secret_sealed is null) = (deleted_at is not null)),
  constraint webhook_endpoints_previous_secret check (
    (previous_secret_sealed is null) = (previous_secret_until is null)
  ),
  constraint webhook_endpoints_behind check ((behind_transaction_id is null) = (behind_position is null)),
  constraint webhook_endpoints_failing check ((failures > 0) = (failing_since is not null))
);
create index webhook_endpoints_by_owner on webhook_endpoints (owner_id, id);
create index webhook_endpoints_deleted on webhook_endpoints (id) where deleted_at is not null;

-- One event for one endpoint.
create table webhook_deliveries (
  id text primary key,
  endpoint_id text not null references webhook_endpoints (id),
  -- The order in which an endpoint receives what is about one subject.
  number bigint generated always as identity,
  event_id text not null,
  event_type text not null,
  subject text not null,
  -- Of a test: the whole event, which is kept nowhere else.
  payload json,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Attempts since it was made, or since somebody asked for it again.
  tries int not null default 0,
  -- All of them, with what was answered.
  attempts json not null default '[]',
  -- When a failed one is tried again.
  next_attempt_at timestamptz,
  created_at timestamptz not null
);
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, subject, number) where status = 'pending';
create index webhook_deliveries_log on webhook_deliveries (endpoint_id, status, id);
create index webhook_deliveries_age on webhook_deliveries using brin (created_at);

-- Subjects of which an endpoint has something to receive yet. Of each, one delivery is under way at a time: the oldest.
-- Whoever adds or ends deliveries of a subject holds its row.
create table webhook_queues (
  endpoint_id text not null references webhook_endpoints (id),
  subject text not null,
  -- While one is under way: until when that is believed. A killed process is thus waited for a little, not for ever.
  due_at timestamptz not null,
  -- Who has it under way.
  lease_token uuid,
  primary key (endpoint_id, subject)
);
create index webhook_queues_due on webhook_queues (endpoint_id, due_at);

-- Up to where events have been handed on to endpoints. Whoever hands them on holds the row.
create table webhook_cursor (
  is_only_row boolean primary key default true check (is_only_row),
  transaction_id xid8 not null,
  position bigint not null
);
insert into webhook_cursor (transaction_id, position) values ('0', 0);

-- For what happened between two moments; events are written nearly in the order of their times.
create index events_by_time on events using brin (created_at);
