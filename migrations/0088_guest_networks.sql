-- no transaction
-- The storage of the guests of a whole network (/24, or /48 of IPv6). The first three of the last six characters of
-- their ids are the same (src/platform/fair-share.ts). Guests that store nothing are left out, because a client may open
-- many of them.
create index concurrently storage_usage_of_guest_networks on storage_usage (left(right(owner_id, 6), 3))
  where substr(owner_id, 15, 1) in ('g', 'h') and bytes > 0;
create index concurrently storage_unpaid_of_guest_networks on storage_unpaid (left(right(owner_id, 6), 3))
  where substr(owner_id, 15, 1) in ('g', 'h') and bytes > 0;
