-- Of events that stood behind what could be read when an endpoint was added, each by its own place: an event may go by the
-- transaction of an earlier one of its subject.
alter table webhook_endpoints drop column since_seen;
alter table webhook_endpoints add column since_seen bigint[] not null default '{}';
