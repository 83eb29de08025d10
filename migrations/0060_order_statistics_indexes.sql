-- no transaction
create index concurrently orders_by_time on orders (created_at);
create index concurrently payments_by_capture on payments (captured_at) where captured_at is not null;
create index concurrently refunds_by_end on refunds (coalesce(ended_at, created_at)) where status = 'succeeded';
