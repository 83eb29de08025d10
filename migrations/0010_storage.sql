-- What lies in the storage, so that bytes which nothing refers to can be removed without losing others.
-- A row is there before its bytes are, and goes after them. Times are those of this database: nodes' clocks may differ.

create table storage_objects (
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bigint not null,
  -- The last time somebody stored these bytes, also when they were there already.
  put_at timestamptz not null default now(),
  -- Set while they are being deleted. An old one was left by a process that was killed.
  deleting_at timestamptz
);

-- The hashes that a finalization's files are stored under.
create function file_hashes(files json) returns text[]
  language sql immutable parallel safe
  return array(select file ->> 'sha256' from json_array_elements(files) as file);

-- What rows refer to already is there.
insert into storage_objects (sha256, bytes)
select sha256, max(bytes) from (
  select sha256, bytes from assets
  union all
  select sha256, bytes from fonts
  union all
  select sha256, bytes from color_profiles
  union all
  select file ->> 'sha256', (file ->> 'bytes')::bigint from finalizations, json_array_elements(files) as file
) as known group by sha256;

create index finalizations_by_file on finalizations using gin (file_hashes(files));
create index assets_by_content on assets (sha256);
