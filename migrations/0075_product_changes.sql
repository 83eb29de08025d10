-- Clients compare the revision before they change a product (`ETag`, `If-Match`). A trigger counts all changes, also those
-- of processes of the previous release.
alter table products add column revision int not null default 1;

create function count_product_revision() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end $$;
create trigger products_revision before update on products for each row execute function count_product_revision();

-- What administrators changed in products: the members with their values before and after.
create table product_changes (
  id text primary key,
  product_id text not null references products (id),
  revision int not null,
  type text not null check (type in ('created', 'changed', 'archived', 'restored', 'imported')),
  -- Names a user without a reference, because the record outlives the account.
  actor_id text not null,
  -- The API key with which the actor acted. Null: a session.
  actor_key_id text,
  fields json not null,
  created_at timestamptz not null
);
create unique index product_changes_by_revision on product_changes (product_id, revision desc);
