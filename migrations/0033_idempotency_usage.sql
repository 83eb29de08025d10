-- Bytes of the responses that were stored for idempotency keys of a customer since the begin of a day of its own.
-- Several rows each: requests that run at the same time seldom wait for the same one.
create table idempotency_usage (
  caller text not null,
  slot smallint not null,
  since timestamptz not null,
  bytes bigint not null,
  primary key (caller, slot)
);
