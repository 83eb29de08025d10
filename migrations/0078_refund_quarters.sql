-- Refunds that succeeded, counted like orders and captures. A refund that succeeded keeps its time and its amount, also
-- if the bank returns it.
alter table order_quarters add column refunded_amount bigint not null default 0;

-- Up to when refunds are counted. Never after "until", because the previous release inserts the quarters of orders.
alter table order_quarters_until add column refunds_until timestamptz;
