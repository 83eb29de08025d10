-- Names of product, variant and design as they were when the order was created. Null for older orders.
alter table order_items add column snapshot json;
