-- What administrators changed in the catalogue and in settings: the members with their values before and after.
create table change_records (
  id text primary key,
  -- A change holds the lock of what it changes when it gets its number, so the numbers are in the order of the changes.
  number bigint generated always as identity,
  -- What changed, such as `template`, and its id. Settings of which there is one have their subject as their id.
  subject text not null,
  subject_id text not null,
  -- Its name after the change, or before its deletion.
  subject_name text,
  -- The version that the change made. Null if the subject counts no versions.
  revision int,
  type text not null check (type in ('created', 'changed', 'archived', 'restored', 'imported', 'deleted')),
  -- Names a user without a reference, because the record outlives the account.
  actor_id text not null,
  -- The API key with which the actor acted. Null: a session.
  actor_key_id text,
  fields json not null,
  created_at timestamptz not null
);
create unique index change_records_by_number on change_records (subject, number desc);
create unique index change_records_of_subject on change_records (subject, subject_id, number desc);

-- The previous release records changes of products in `product_changes`. A later release drops that table.
create function copy_product_change() returns trigger language plpgsql as $$
begin
  insert into change_records
    (id, subject, subject_id, subject_name, revision, type, actor_id, actor_key_id, fields, created_at)
  select new.id, 'product', new.product_id, p.name, new.revision, new.type, new.actor_id, new.actor_key_id, new.fields,
    new.created_at
  from products p where p.id = new.product_id;
  return null;
end $$;
create trigger product_changes_copy after insert on product_changes
  for each row execute function copy_product_change();

insert into change_records
  (id, subject, subject_id, subject_name, revision, type, actor_id, actor_key_id, fields, created_at)
select c.id, 'product', c.product_id, p.name, c.revision, c.type, c.actor_id, c.actor_key_id, c.fields, c.created_at
from product_changes c join products p on p.id = c.product_id
order by c.created_at, c.revision;
