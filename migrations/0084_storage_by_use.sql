-- no transaction
-- Administrators list the accounts that store the most.
create index concurrently storage_usage_by_bytes on storage_usage (bytes, owner_id);
