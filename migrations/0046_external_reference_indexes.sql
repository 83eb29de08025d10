-- no transaction
create unique index concurrently designs_by_external_reference on designs (owner_id, external_reference)
  where external_reference is not null;
create unique index concurrently orders_by_external_reference on orders (owner_id, external_reference)
  where external_reference is not null;
-- For operators, who list the orders of all owners.
create index concurrently orders_by_reference on orders (external_reference) where external_reference is not null;
