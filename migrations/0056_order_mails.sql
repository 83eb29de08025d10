-- What a message is, such as `reset_password`, and what it is about, such as an order. Messages of the previous release
-- have neither.
alter table outbox_messages add column kind text;
alter table outbox_messages add column about text;
-- A mail with a designed text has both: `text` for plain readers and `html`, which names its pictures by `cid:` URLs.
alter table outbox_messages add column html text;
alter table outbox_messages add column pictures json;

-- The mails to customers about their orders. A row is a mail, for which an event was the cause; its content follows from
-- the event. The rows of an order are its queue: its mails are sent one after another in the order of their events.
create table order_mails (
  id bigint generated always as identity primary key,
  order_id text not null,
  kind text not null,
  -- The shipment, the refund or the hold; `order` for what happens to an order once.
  cause text not null,
  event_id text not null,
  -- That of the event.
  sequence int not null,
  status text not null check (status in ('waiting', 'sent', 'skipped', 'failed')),
  -- Why a mail was skipped.
  reason text,
  -- The process that is sending the mail, by the clock of the database.
  lease_token uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  ended_at timestamptz,
  unique (order_id, kind, cause)
);
create index order_mails_waiting on order_mails (order_id, sequence) where status = 'waiting';

-- Up to where events have become mails. The process that reads events holds the row. Events from before this migration
-- get no mails.
create table order_mail_cursor (
  is_only_row boolean primary key default true check (is_only_row),
  transaction_id xid8 not null,
  position bigint not null
);
insert into order_mail_cursor (transaction_id, position) values (events_readable_before(), 0);
