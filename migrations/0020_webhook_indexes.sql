-- BRIN does not hold here: updates and vacuum mix old and new rows in the same pages. Deliveries are pruned by their ids, which
-- sort by time; a replay reads the events of a range of time, of one owner or of all.
drop index webhook_deliveries_age;
drop index events_by_time;
create index events_by_time on events (created_at);
create index events_by_owner_and_time on events (owner_id, created_at);

-- An endpoint is told of what is committed after it was added or enabled. What transactions that were open then write stands
-- behind `since`, among what others had written already: the places of that. Not its transactions: an event may go by the
-- transaction of an earlier one of its subject.
alter table webhook_endpoints add column since_seen bigint[] not null default '{}';

-- Of an endpoint that was disabled while it was behind: it is still told of what happened before this moment.
alter table webhook_endpoints add column behind_until timestamptz;
