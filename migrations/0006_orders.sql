-- Orders and what belongs to them. An order copies what it was made from (price, address, finalization), so that
-- nothing that changes later alters it. Money is in minor units of the order's currency.

create table quotes (
  id text primary key,
  owner_id text not null,
  items json not null,
  shipping_address json not null,
  shipping_method text not null,
  currency text not null,
  subtotal_amount bigint not null,
  shipping_amount bigint not null,
  tax_amount bigint not null,
  total_amount bigint not null,
  tax_included boolean not null,
  -- The order made from it: a quote is good for one.
  order_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index quotes_expiry on quotes (expires_at);

create table orders (
  id text primary key,
  number text not null unique,
  owner_id text not null,
  status text not null check (status in (
    'awaiting_payment', 'confirmed', 'in_production', 'partially_shipped', 'shipped', 'delivered', 'on_hold', 'cancelled'
  )),
  -- Where an order on hold goes back to.
  held_status text check (held_status in ('confirmed', 'in_production')),
  shipping_address json not null,
  shipping_method text not null,
  currency text not null,
  subtotal_amount bigint not null check (subtotal_amount >= 0),
  shipping_amount bigint not null check (shipping_amount >= 0),
  tax_amount bigint not null check (tax_amount >= 0),
  total_amount bigint not null,
  tax_included boolean not null,
  metadata json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint orders_held check ((status = 'on_hold') = (held_status is not null)),
  constraint orders_sum check (
    total_amount = subtotal_amount + shipping_amount + case when tax_included then 0 else tax_amount end
  )
);
create index orders_by_owner on orders (owner_id, id);
create index orders_by_status on orders (status, id);

create table order_items (
  id text primary key,
  order_id text not null references orders (id),
  position int not null,
  design_id text not null,
  -- Its print files are what is produced, and the receipt of this lock says at what price: they cannot go away while
  -- the order is there.
  finalization_id text not null,
  price_lock int not null,
  variant_id text not null,
  quantity int not null check (quantity between 1 and 100000),
  -- What the placeholders of the design are filled with.
  data json,
  unit_amount bigint not null check (unit_amount >= 0),
  total_amount bigint not null,
  unique (order_id, position),
  foreign key (finalization_id, price_lock) references price_locks (finalization_id, number),
  constraint order_items_sum check (total_amount = unit_amount * quantity)
);

-- One for each order, from its first moment.
create table payments (
  id text primary key,
  order_id text not null unique references orders (id),
  status text not null check (status in (
    'pending', 'authorized', 'captured', 'partially_refunded', 'refunded', 'failed'
  )),
  -- How it was captured: 'manual', or a provider's name.
  method text,
  reference text,
  amount bigint not null,
  captured_amount bigint not null default 0,
  refunded_amount bigint not null default 0,
  captured_at timestamptz,
  constraint payments_captured check (captured_amount in (0, amount)),
  constraint payments_refunded check (refunded_amount between 0 and captured_amount)
);

-- Each try to charge, written before the provider is asked: what a killed process leaves open is found and finished.
create table payment_attempts (
  id uuid primary key,
  payment_id text not null references payments (id),
  provider text not null,
  token text not null,
  status text not null check (status in ('open', 'captured', 'declined', 'unanswered')),
  started_at timestamptz not null,
  -- Until then the process that asked the provider may still be waiting for the answer.
  leased_until timestamptz not null,
  ended_at timestamptz
);
-- Two charges at once cannot even be begun.
create unique index payment_attempts_one_open on payment_attempts (payment_id) where status = 'open';
create index payment_attempts_open on payment_attempts (leased_until) where status = 'open';

create table refunds (
  id text primary key,
  payment_id text not null references payments (id),
  amount bigint not null check (amount >= 0),
  reason text,
  created_at timestamptz not null
);
create index refunds_by_payment on refunds (payment_id, id);

create table shipments (
  id text primary key,
  order_id text not null references orders (id),
  status text not null check (status in ('shipped', 'delivered', 'returned')),
  carrier text not null,
  tracking_number text,
  tracking_url text,
  created_at timestamptz not null,
  delivered_at timestamptz,
  returned_at timestamptz
);
create index shipments_by_order on shipments (order_id, id);

create table shipment_items (
  shipment_id text not null references shipments (id),
  item_id text not null references order_items (id),
  quantity int not null check (quantity > 0),
  primary key (shipment_id, item_id)
);

-- What happened to an order, for people to read. Who did it is kept, and shown as a role only.
create table order_timeline (
  order_id text not null references orders (id),
  position int not null,
  type text not null,
  actor text not null check (actor in ('customer', 'operator', 'system')),
  actor_id text,
  reason text,
  at timestamptz not null,
  primary key (order_id, position)
);
