-- Customers of a shop without an account, and guests. Both are users without an email address to sign in with, so that
-- designs, orders, quotas and erasure treat every owner alike.

alter table users add column kind text not null default 'account';
alter table users add constraint users_kind check (kind in ('account', 'customer', 'guest')) not valid;
-- The id of the customer in the shop's own system.
alter table users add column external_id text;
-- Where the shop reaches a customer without an account. It identifies no one.
alter table users add column contact_email text;
alter table users add column locale text;
alter table users add column metadata jsonb;

-- The words by which operators find customers. Each word of a search is the beginning of one of them.
create function customer_search(external_id text, name text, email text) returns tsvector
  language sql immutable parallel safe
  return array_to_tsvector(coalesce(search_words(concat_ws(' ', external_id, name, email)), '{}'));

-- Limits below or above the default, such as that of guests. Null: the default.
alter table storage_usage add column quota_bytes bigint;
