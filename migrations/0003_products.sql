-- What can be ordered. A product is written and read whole and its parts are checked together,
-- so print areas, options and variants live in its row. Nothing points at a product:
-- whoever must not be altered by its changes (a finalization, an order) copies what it needs.

create table products (
  id text primary key,
  name text not null,
  description text not null,
  status text not null check (status in ('active', 'archived')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  print_areas json not null,
  options json not null,
  variants json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index products_by_status on products (status, id);
