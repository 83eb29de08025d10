-- Events are kept for 30 days, then pruned. How far their subjects had been counted is kept, so that later events of a
-- subject are numbered on. Only subjects of which events were pruned are here.
create table event_sequences (
  subject text primary key,
  last int not null
);

-- Readers go by transaction ids, which count from the beginning again when the database is restored on another server.
-- What is added to those of this server, so that they stand behind all that was restored. One row.
create table event_clock (
  is_only_row boolean primary key default true check (is_only_row),
  transactions_ahead bigint not null
);
insert into event_clock (transactions_ahead) values (0);

create function event_transaction_id() returns xid8 language sql volatile parallel unsafe
return (pg_current_xact_id()::text::bigint + coalesce((select transactions_ahead from event_clock), 0))::text::xid8;

-- Events of this transaction and later ones are not to be read yet: an older transaction may still write some.
create function events_readable_before() returns xid8 language sql stable
return (
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint + coalesce((select transactions_ahead from event_clock), 0)
)::text::xid8;

alter table events alter column transaction_id set default event_transaction_id();

-- For readers of a rare type in a long history.
create index events_by_type on events (type, transaction_id, position);
create index events_by_owner_and_type on events (owner_id, type, transaction_id, position);
