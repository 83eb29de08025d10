-- The ids that clients use for their designs and orders. Unique for each owner: see the next migration.
alter table designs add column external_reference text;
alter table orders add column external_reference text;
