-- Bytes of the answers that were stored for idempotency keys of a caller since the begin of a day of its own.
create table idempotency_usage (
  caller text primary key,
  since timestamptz not null,
  bytes bigint not null
);
