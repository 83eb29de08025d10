-- Callers choose their keys. With `hashtextextended`, whose results can be chosen, a caller could hold any advisory lock,
-- such as that of the order of another customer.
create or replace function claim_idempotency_key(wanted_caller text, wanted_key text, at timestamptz)
  returns table (claimed boolean, request_hash text, status int, body json, headers json)
  language plpgsql volatile
as $$
declare
  name text := 'idempotency ' || wanted_caller || ' ' || wanted_key;
begin
  -- Transactions that began before this migration hold the former lock. Ending the block with an error frees it at once. A
  -- later release removes this test.
  begin
    claimed := pg_try_advisory_xact_lock(hashtextextended(name, 0));
    raise exception using errcode = 'PLT01';
  exception when sqlstate 'PLT01' then null;
  end;
  if claimed then
    claimed := pg_try_advisory_xact_lock(('x' || encode(substr(sha256(convert_to(name, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint);
  end if;
  if claimed then
    select kept.request_hash, kept.status, kept.body, kept.headers into request_hash, status, body, headers
    from idempotency_keys kept
    where kept.caller = wanted_caller and kept.key = wanted_key and kept.expires_at > at;
  end if;
  return next;
end
$$;
