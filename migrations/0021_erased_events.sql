-- What an event told was erased: what receivers answered to it is shown no more either, since many answer what they were sent.
alter table events add column is_erased boolean not null default false;
