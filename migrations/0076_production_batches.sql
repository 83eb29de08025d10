-- Orders that are produced together. A batch is open until it is closed.
create table production_batches (
  id text primary key,
  name text,
  created_at timestamptz not null,
  closed_at timestamptz
);
create index production_batches_open on production_batches (id) where closed_at is null;
create index production_batches_done on production_batches (id) where closed_at is not null;

create table production_batch_orders (
  batch_id text not null references production_batches (id),
  order_id text not null references orders (id),
  -- Place in the batch, in which pick lists and print files follow.
  position int not null,
  -- Whether the batch is open, here for the index below.
  is_open boolean not null,
  added_at timestamptz not null,
  primary key (batch_id, order_id),
  unique (batch_id, position)
);
-- An order is in at most one open batch.
create unique index production_batch_orders_open on production_batch_orders (order_id) where is_open;
create index production_batch_orders_by_order on production_batch_orders (order_id);
