-- The content of drafts before their last changes. The present content is in `designs`.
create table design_revisions (
  -- Processes of the previous release delete designs and do not know of their revisions.
  design_id text not null references designs (id) on delete cascade,
  revision int not null check (revision > 0),
  name text not null,
  variant_id text not null,
  document json not null,
  metadata json not null,
  -- Of document and metadata, so that quotas need not read them.
  bytes int not null check (bytes >= 0),
  created_at timestamptz not null,
  primary key (design_id, revision)
);

-- When the present revision was saved: `updated_at` is also the time of later changes of status. Null for older rows.
alter table designs add column revised_at timestamptz;
