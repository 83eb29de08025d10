-- What accounts added without paying for it: designs that are being finalized or were finalized, orders and quotes. A row
-- counts until a time, or until the design or order is paid for.

create table storage_unpaid (
  -- The id of a design, an order or a quote; the token of the lease while a design is being finalized.
  subject text primary key,
  owner_id text not null,
  -- Of files and of rows in the database.
  bytes bigint not null check (bytes >= 0),
  counts_until timestamptz not null
);
create index storage_unpaid_by_owner on storage_unpaid (owner_id, counts_until) include (bytes);
create index storage_unpaid_by_time on storage_unpaid (counts_until);
