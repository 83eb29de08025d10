-- The API key with which the actor acted. Null: a session, the service itself, or a step of an earlier version.
alter table order_timeline add column actor_key_id text;
alter table refunds add column actor_key_id text;
