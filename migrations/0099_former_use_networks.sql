-- The network of a new customer who deleted the account. Its files stay on the disk for a day, so they still count for the
-- new customers of the network.
alter table storage_former_use add column network text;
