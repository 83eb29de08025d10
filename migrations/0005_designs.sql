-- What people make of products, and what was locked for ordering.
-- JSON is kept as json, not jsonb: answers repeat the stored text without parsing it.

create table designs (
  id text primary key,
  owner_id text not null,
  status text not null check (status in ('draft', 'finalizing', 'finalized', 'archived')),
  revision int not null check (revision > 0),
  name text not null,
  product_id text not null,
  variant_id text not null,
  document json not null,
  preflight json not null,
  metadata json not null,
  -- Who is finalizing, and until when that is believed: a killed process leaves a lease that runs out.
  lease_token text,
  lease_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((status = 'finalizing') = (lease_token is not null)),
  check ((lease_token is null) = (lease_until is null))
);
create index designs_by_owner on designs (owner_id, id);
create index designs_finalizing on designs (lease_until) where status = 'finalizing';

-- Rows are written once. They copy what they need of the product, so that its changes never reach them.
create table finalizations (
  id text primary key,
  design_id text not null unique references designs (id),
  revision int not null,
  content_hash text not null,
  product_id text not null,
  variant_id text not null,
  weight_grams int not null,
  print_areas json not null,
  files json not null,
  warnings json not null,
  placeholders json not null,
  finalized_at timestamptz not null
);

-- The price of a finalization, for a time. A renewal adds a row; receipts of earlier ones stay.
create table price_locks (
  finalization_id text not null references finalizations (id),
  number int not null check (number > 0),
  price_tiers json not null,
  currency text not null,
  valid_until timestamptz not null,
  receipt text not null,
  locked_at timestamptz not null,
  primary key (finalization_id, number)
);
