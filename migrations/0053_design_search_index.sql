-- no transaction
create index concurrently designs_search on designs using gin (design_search(owner_id, name)) with (fastupdate = off);
