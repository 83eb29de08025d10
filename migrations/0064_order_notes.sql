-- Notes of the shop about an order. Customers never see them. Erasure of the customer deletes them.
create table order_notes (
  id text primary key,
  order_id text not null references orders (id),
  author_id text,
  -- The API key with which the author wrote it.
  author_key_id text,
  text text not null,
  created_at timestamptz not null
);
create index order_notes_by_order on order_notes (order_id, id);
