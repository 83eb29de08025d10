-- A paid addition stops counting at once. If its order is cancelled, it counts again.
alter table storage_unpaid add column is_paid boolean not null default false;
