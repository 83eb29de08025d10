-- Clients compare the revision before they change an order (`ETag`, `If-Match`). Every action updates the row of its
-- order, so a trigger counts all changes, also those of processes of the previous release.
alter table orders add column revision int not null default 1;

create function count_order_revision() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end $$;
create trigger orders_revision before update on orders for each row execute function count_order_revision();
