-- Why the last finalization of a design failed, as the API shows it; null once another one begins.
alter table designs add column last_finalization_error json;
-- How many finalizations of the design failed: a part of its entity tag.
alter table designs add column finalization_failures integer not null default 0;
