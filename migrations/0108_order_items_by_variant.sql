-- no transaction
-- Finds the orders of a product that is rarely ordered.
create index concurrently order_items_by_variant on order_items (variant_id, order_id);
