-- no transaction
-- Lists of one account, with each filter that they have.
create index concurrently designs_by_owner_and_status on designs (owner_id, status, id);
create index concurrently designs_by_owner_and_product on designs (owner_id, product_id, status, id);
create index concurrently security_events_by_user_and_type on security_events (user_id, type, id);
create index concurrently api_keys_in_use on api_keys (user_id, id) where revoked_at is null;
create index concurrently quotes_by_owner on quotes (owner_id, id);
