-- no transaction
create index concurrently orders_by_due on orders (status, due_at, id);
create index concurrently payments_by_status on payments (status, order_id);
create index concurrently payments_by_reference on payments (reference) where reference is not null;
