-- no transaction
-- The storage that the guests of one network use together. Ids of guests have "g" or "h" as this character
-- (src/platform/fair-share.ts).
create index concurrently storage_usage_of_guests on storage_usage (right(owner_id, 6))
  where substr(owner_id, 15, 1) in ('g', 'h');
create index concurrently storage_unpaid_of_guests on storage_unpaid (right(owner_id, 6))
  where substr(owner_id, 15, 1) in ('g', 'h');
