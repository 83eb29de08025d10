-- When the secret of the service was rotated, security events get seals of a new key. Each row names the last event that
-- has a seal of an earlier key, and keeps that key to verify it. A release that does not know the table finds no fault
-- before the first rotation.
create table security_event_keys (
  position bigint generated always as identity primary key,
  -- Sequence of the last event with a seal of the earlier key. 0: there was none.
  last_sequence bigint not null,
  changed_at timestamptz not null,
  -- Identifies the key of the following events, without revealing it.
  key_id text not null,
  -- The key of the events before, encrypted with the secret of the service.
  earlier_key_encrypted bytea not null
);
