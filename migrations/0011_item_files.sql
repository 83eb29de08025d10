-- The print files of order items that fill placeholders: one row for each such item, from the order's first moment.
create table item_files (
  item_id text primary key references order_items (id),
  order_id text not null references orders (id),
  status text not null check (status in ('pending', 'ready', 'failed')),
  -- What the files are drawn from, by content: the order does not depend on what becomes of the images and fonts.
  sources json,
  -- Of everything that decides the bytes, the item's texts included.
  content_hash text,
  files json,
  -- What of the storage the row needs: the sources until the files are there, then the files.
  sha256s text[] not null,
  -- How often drawing was begun since somebody asked for it.
  attempts int not null default 0,
  failure text,
  -- Not to be drawn before; null while nobody has to draw it yet, or any more.
  due_at timestamptz,
  -- Who is drawing, and until when that is believed: a killed process leaves a lease that runs out.
  lease_token uuid,
  lease_until timestamptz,
  constraint item_files_ready check ((status = 'ready') = (files is not null and content_hash is not null)),
  constraint item_files_sources check (status = 'ready' or sources is not null),
  constraint item_files_due check (due_at is null or status = 'pending'),
  constraint item_files_failure check (status <> 'failed' or failure is not null),
  constraint item_files_lease check ((lease_token is null) = (lease_until is null))
);
create index item_files_by_order on item_files (order_id);
create index item_files_due on item_files (due_at) where due_at is not null;
create index item_files_by_content on item_files using gin (sha256s);

-- Items that were ordered before: the files of their designs have the names of placeholders where the items have texts.
-- They are drawn like those of new orders: at once, or when they are paid for.
insert into item_files (item_id, order_id, status, sources, sha256s, due_at)
select i.id, o.id, 'pending', json_build_object('images', coalesce(images.by_id, '{}')), coalesce(images.sha256s, '{}'),
  case when o.status <> 'awaiting_payment' then now() end
from order_items i
join orders o on o.id = i.order_id
join finalizations f on f.id = i.finalization_id
join designs d on d.id = f.design_id
cross join lateral (
  select json_object_agg(a.id, a.sha256) as by_id, array_agg(distinct a.sha256) as sha256s
  from assets a
  where a.owner_id = d.owner_id and a.id in (
    select layer ->> 'assetId'
    from json_array_elements(d.document -> 'placements') as placement, json_array_elements(placement -> 'layers') as layer
  )
) images
where json_array_length(f.placeholders) > 0 and o.status not in ('shipped', 'delivered', 'cancelled');
