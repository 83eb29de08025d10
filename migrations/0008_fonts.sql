-- Fonts that people upload. The bytes, unpacked, lie in the storage under their SHA-256, which several owners may share.

create table fonts (
  id text primary key,
  owner_id text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bigint not null,
  media_type text not null check (media_type in ('font/ttf', 'font/otf')),
  family text not null check (family <> ''),
  weight int not null check (weight between 1 and 1000),
  style text not null check (style in ('normal', 'italic')),
  scripts text[] not null,
  embedding text not null check (embedding in ('installable', 'editable', 'preview_and_print')),
  created_at timestamptz not null,
  unique (owner_id, sha256)
);
create index fonts_by_owner on fonts (owner_id, id);
create index fonts_by_family on fonts (owner_id, family);
create index fonts_by_content on fonts (sha256);

-- Which finalized designs need a font. It cannot be deleted meanwhile: the reference is what decides
-- between a deletion and a finalization at the same moment.
create table font_uses (
  font_id text not null references fonts (id) on delete restrict,
  design_id text not null,
  primary key (font_id, design_id)
);
create index font_uses_by_design on font_uses (design_id);
