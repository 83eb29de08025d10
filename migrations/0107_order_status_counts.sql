-- How many orders have each status: the sum of the rows. Counting the orders themselves would read an index entry of each.
-- Changes of orders add rows, so that no transaction waits for the counter of another one, and a job adds them up.
create table order_status_counts (
  id bigint generated always as identity primary key,
  status text not null,
  orders bigint not null,
  -- Whether the row is the sum that the job has made. Without such a row, the orders from before the triggers are missing.
  is_sum boolean not null default false
);

-- Triggers also count for processes of the previous release.
create function count_new_orders() returns trigger language plpgsql as $$
begin
  insert into order_status_counts (status, orders) select status, count(*) from added group by status;
  return null;
end $$;
create trigger orders_count_new after insert on orders referencing new table as added
  for each statement execute function count_new_orders();

create function count_deleted_orders() returns trigger language plpgsql as $$
begin
  insert into order_status_counts (status, orders) select status, -count(*) from removed group by status;
  return null;
end $$;
create trigger orders_count_deleted after delete on orders referencing old table as removed
  for each statement execute function count_deleted_orders();

create function count_order_status() returns trigger language plpgsql as $$
begin
  insert into order_status_counts (status, orders) values (old.status, -1), (new.status, 1);
  return null;
end $$;
create trigger orders_count_status after update of status on orders for each row
  when (old.status is distinct from new.status) execute function count_order_status();
