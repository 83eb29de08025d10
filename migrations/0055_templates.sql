-- Designs of the shop from which customers start. They belong to the shop, so no row names the administrator.
create table templates (
  id text primary key,
  product_id text not null,
  name text not null,
  status text not null check (status in ('active', 'archived')),
  categories text[] not null,
  -- Never changes, so designs that were made from a template keep its images and locks.
  document json not null,
  -- The images of the document. They are assets of the shop.
  asset_ids text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index templates_by_status on templates (status, id);

-- The template whose images a design may show and whose locks bind it. Null for other designs.
alter table designs add column template_id text;
