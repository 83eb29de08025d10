-- no transaction
create index concurrently accounts_search on users using gin (customer_search(external_id, name, email)) with (fastupdate = off) where kind = 'account' and deleted_at is null;
create index concurrently staff_by_id on users (id) where role <> 'customer' and deleted_at is null;
