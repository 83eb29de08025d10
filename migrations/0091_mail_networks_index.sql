-- no transaction
-- Counts the messages that wait for a network.
create index concurrently outbox_messages_by_network on outbox_messages (network) where network is not null;
