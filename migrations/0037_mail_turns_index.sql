-- no transaction
-- Counts the messages that wait for a recipient.
create index concurrently outbox_messages_by_recipient on outbox_messages (recipient);
