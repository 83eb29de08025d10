-- What the customer of an order on hold can do about it (null: as in 'answer'), and when they did. Why it is held, and
-- since when, is in its timeline.
alter table orders
  add column hold_resolution text check (hold_resolution in ('address', 'confirmation', 'answer', 'none')),
  add column hold_answered_at timestamptz;

-- A reseller with very many orders lists those of one state.
create index orders_by_owner_and_status on orders (owner_id, status, id);
-- Whoever removes designs asks whether an order holds their files and prices.
create index order_items_by_finalization on order_items (finalization_id, price_lock);
