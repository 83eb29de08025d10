-- Who takes turns: the customer, or all guests and new customers of a network together (`networkOfShare`). Null in rows of
-- the previous release, which has `network` for some customers.
alter table order_mails add column share text;
