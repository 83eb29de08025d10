-- How much each account stores: uploads, documents of designs without a finalization, and what was deleted but still
-- lies on the disk. Features change the row in the transaction that changes the record.

create table storage_usage (
  owner_id text primary key,
  -- May be off until the first reconciliation, also below zero.
  bytes bigint not null,
  -- When `bytes` was last compared with the records; null: never.
  reconciled_at timestamptz
) with (fillfactor = 70);
create index storage_usage_by_reconciliation on storage_usage (reconciled_at nulls first, owner_id);

-- Room for uploads that are being received. The process renews its rows; those of a killed process expire.
create table storage_reservations (
  id uuid primary key,
  owner_id text not null,
  bytes bigint not null check (bytes >= 0),
  expires_at timestamptz not null
);
create index storage_reservations_by_owner on storage_reservations (owner_id);

-- Bytes that no record names any more and that still count: files until they are collected, kept answers until they expire.
create table storage_releases (
  id bigint primary key generated always as identity,
  owner_id text not null,
  -- Null for bytes in the database.
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bigint not null check (bytes >= 0),
  -- Not released before this time.
  due_at timestamptz not null
);
create index storage_releases_by_owner on storage_releases (owner_id, sha256);
create index storage_releases_by_time on storage_releases (due_at);

-- The accounts that store something. The service computes their bytes later: reading every document takes too long here.
insert into storage_usage (owner_id, bytes)
select owner_id, 0 from (
  select owner_id from assets
  union
  select owner_id from fonts
  union
  select owner_id from designs
) as known;
