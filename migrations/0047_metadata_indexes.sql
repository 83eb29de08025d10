-- no transaction
-- Filters of lists. Without fastupdate, because a list would read the whole pending list of the index.
create index concurrently designs_by_metadata on designs using gin ((metadata::jsonb) jsonb_path_ops)
  with (fastupdate = off) where metadata::text <> '{}';
create index concurrently orders_by_metadata on orders using gin ((metadata::jsonb) jsonb_path_ops)
  with (fastupdate = off) where metadata::text <> '{}';
