-- Whether a new customer has stored something, and so counts towards what those of its network store together. The rows of
-- those who have not, of which a client may register many, are left out of the sum.
alter table newcomers add column has_stored boolean not null default false;
update newcomers set has_stored = true where exists (select from storage_usage where owner_id = user_id);
