-- Requests of the last seven days, without values of their queries, headers and bodies. Rows are written in batches after
-- the responses, so that "id" has the order in which requests ended, but for a second or so.
create table request_log (
  id bigint generated always as identity primary key,
  request_id uuid not null,
  ended_at timestamptz not null,
  method text not null,
  -- The path as the API document writes it, and the operation. Null if no operation has the URL.
  route text,
  operation text,
  -- Names of the documented query parameters that were sent.
  parameters text[] not null,
  status smallint not null,
  problem text,
  duration_ms int not null,
  -- Null for an anonymous caller. The ids are null after the account was erased.
  caller text,
  user_id text,
  -- The operator who acted for the customer "user_id".
  actor_id text,
  credential_id text,
  -- The key by which the IP address counts: an IPv4 address, or an IPv6 network.
  network text
);
create unique index request_log_by_request on request_log (request_id);
create index request_log_by_time on request_log (ended_at);
create index request_log_by_status on request_log (status, id);
create index request_log_by_route on request_log (route, id);
create index request_log_by_user on request_log (user_id, id) where user_id is not null;
create index request_log_by_actor on request_log (actor_id, id) where actor_id is not null;
create index request_log_by_credential on request_log (credential_id, id) where credential_id is not null;

-- How many requests of each day are stored, which all processes together bound.
create table request_log_days (
  day date primary key,
  stored int not null
);
