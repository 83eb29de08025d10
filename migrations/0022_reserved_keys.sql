-- Who does the work of a reserved idempotency key, and how long others wait for it: a killed process gives nothing back.
alter table idempotency_keys
  add column holder uuid,
  add column held_until timestamptz;

-- Reserved by a process of the version before: a repetition does the work.
delete from idempotency_keys where status = 0;
