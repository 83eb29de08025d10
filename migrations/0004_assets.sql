-- Uploaded images. The bytes lie in the storage under their SHA-256, which several owners may share.

create table assets (
  id text primary key,
  owner_id text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bigint not null,
  media_type text not null check (media_type in ('image/jpeg', 'image/png', 'image/webp', 'image/tiff')),
  -- As seen upright: after the EXIF orientation.
  width_px int not null check (width_px > 0),
  height_px int not null check (height_px > 0),
  has_alpha boolean not null,
  color_space text not null,
  orientation int not null check (orientation between 1 and 8),
  created_at timestamptz not null,
  unique (owner_id, sha256)
);
create index assets_by_owner on assets (owner_id, id);

-- Which finalized designs need an asset. It cannot be deleted meanwhile: the reference is what decides
-- between a deletion and a finalization at the same moment.
create table asset_uses (
  asset_id text not null references assets (id) on delete restrict,
  design_id text not null,
  primary key (asset_id, design_id)
);
create index asset_uses_by_design on asset_uses (design_id);
