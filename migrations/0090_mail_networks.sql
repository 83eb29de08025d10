-- The network of the anonymous request that caused the message. Networks take turns, so that many registrations from one
-- do not delay the mails of others.
alter table outbox_messages add column network text;
