-- The status of the order beside that of its payment, so that one index finds the orders with both. Triggers write it,
-- also for processes of the previous release. Null: not filled in yet, which the job `orders.fill_order_statuses` does.
alter table payments add column order_status text;

create function take_order_status() returns trigger language plpgsql as $$
begin
  new.order_status := (select status from orders where id = new.order_id);
  return new;
end $$;
create trigger payments_order_status before insert on payments for each row execute function take_order_status();

create function copy_order_status() returns trigger language plpgsql as $$
begin
  update payments set order_status = new.status where order_id = new.id;
  return null;
end $$;
create trigger orders_copy_status after update of status on orders for each row
when (old.status is distinct from new.status) execute function copy_order_status();
