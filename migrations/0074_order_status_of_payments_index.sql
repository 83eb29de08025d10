-- no transaction
create index concurrently payments_by_order_status on payments (order_status, status, order_id);
