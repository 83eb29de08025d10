-- Of the newest event that was pruned: readers may have noted how far they were when it was there.
alter table event_clock add column pruned_up_to xid8 not null default '0';

-- The queue asks for a country together with states.
drop index orders_by_country;
create index orders_by_country_and_status on orders ((shipping_address ->> 'country'), status, id);
