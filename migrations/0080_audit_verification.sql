-- The result of the last verification of the security events, which a job repeats every day.
create table security_chain_verification (
  only_row boolean primary key default true check (only_row),
  -- When an administrator requested a verification that has not ended.
  requested_at timestamptz,
  -- When the last verification ended, and how many events it read. Null before the first one.
  verified_at timestamptz,
  entries bigint,
  -- The first fault that it found. Null if the chain is complete and unchanged.
  fault text,
  fault_sequence bigint,
  fault_event_id text,
  -- The newest event of the last verification without a fault. Later verifications must find it with this seal.
  head_sequence bigint,
  head_seal bytea
);
