-- no transaction
-- Finds the orders with an open dispute. There are few entries about disputes among those of all orders.
create index concurrently order_timeline_disputes on order_timeline (order_id, reason, type)
  where type in ('payment.disputed', 'payment.dispute_won', 'payment.dispute_lost', 'payment.dispute_closed');
