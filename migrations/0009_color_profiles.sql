-- Conditions of output: ICC profiles of presses and papers, which the print files of a product name.
-- The bytes lie in the storage under their SHA-256.

create table color_profiles (
  id text primary key,
  sha256 text not null unique check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes int not null check (bytes > 0),
  description text not null,
  color_space text not null check (color_space in ('rgb', 'gray', 'cmyk')),
  created_at timestamptz not null
);

-- The reference is what decides between a deletion and a change of the product at the same moment.
alter table products add column output_profile_id text references color_profiles (id) on delete restrict;
create index products_by_output_profile on products (output_profile_id) where output_profile_id is not null;

-- By content: a finalization keeps what it was made with, whatever becomes of the product and of the profile.
alter table finalizations add column output_profile_sha256 text check (output_profile_sha256 ~ '^[0-9a-f]{64}$');
create index finalizations_by_output_profile on finalizations (output_profile_sha256)
  where output_profile_sha256 is not null;
