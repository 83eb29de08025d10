-- no transaction
-- The order of the shop, in which everyone reads the products of one status.
create index concurrently products_in_order on products (status, sort, lower(name), id);
