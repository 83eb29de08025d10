-- no transaction
create index concurrently products_by_category on products using gin (categories) with (fastupdate = off);
