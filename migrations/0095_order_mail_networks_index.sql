-- no transaction
-- Counts the mails that wait for a network.
create index concurrently order_mails_by_network on order_mails (network) where status = 'waiting' and network is not null;
