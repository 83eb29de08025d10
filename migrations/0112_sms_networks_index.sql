-- no transaction
-- Counts the enrolments that the clients of a network cause.
create index concurrently sms_history_by_network on sms_history (network, sent_at) where network is not null;
