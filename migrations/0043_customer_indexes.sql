-- no transaction
create unique index concurrently users_by_external_id on users (external_id) where external_id is not null;
create index concurrently customers_by_id on users (id) where role = 'customer' and deleted_at is null;
create index concurrently customers_by_contact_email on users (contact_email) where contact_email is not null;
create index concurrently customers_search on users using gin (customer_search(external_id, name, case kind when 'account' then email else contact_email end)) with (fastupdate = off) where role = 'customer' and deleted_at is null;
-- Which guests have expired.
create index concurrently guests_by_creation on users (created_at) where kind = 'guest' and deleted_at is null;
-- Responses to operators who acted for a customer, by the customer.
create index concurrently idempotency_keys_of_customers on idempotency_keys (split_part(caller, '/', 2)) where caller like '%/%';
