-- no transaction
create index concurrently unpaid_orders_of_guests on orders (right(owner_id, 6))
  where status = 'awaiting_payment' and substr(owner_id, 15, 1) in ('g', 'h');
