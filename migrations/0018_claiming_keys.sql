-- Claims an idempotency key for this transaction and reads what was answered to it, in one round trip. Not in one
-- statement: that would look at the answers as they were before the claim, and miss one that was kept meanwhile. Each
-- statement of this function looks anew, because it is volatile.
create function claim_idempotency_key(wanted_caller text, wanted_key text, at timestamptz)
  returns table (claimed boolean, request_hash text, status int, body json, headers json)
  language plpgsql volatile
as $$
begin
  claimed := pg_try_advisory_xact_lock(hashtextextended('idempotency ' || wanted_caller || ' ' || wanted_key, 0));
  if claimed then
    select kept.request_hash, kept.status, kept.body, kept.headers into request_hash, status, body, headers
    from idempotency_keys kept
    where kept.caller = wanted_caller and kept.key = wanted_key and kept.expires_at > at;
  end if;
  return next;
end
$$;
