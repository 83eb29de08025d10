-- What an account stored when it gave up a name, such as its email address. It counts for the next account of that name
-- until the files can have been collected.
create table storage_former_use (
  name text not null,
  owner_id text not null,
  bytes bigint not null check (bytes >= 0),
  counts_until timestamptz not null,
  primary key (name, owner_id)
);
