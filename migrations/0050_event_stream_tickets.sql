-- Tickets that open one stream of events each. `reference` names the credential that made the ticket: the id of a
-- session, or the stored hash of an API key.
create table event_stream_tickets (
  token_hash text primary key,
  kind text not null check (kind in ('session', 'api_key')),
  reference text not null,
  user_id text not null references users on delete cascade,
  expires_at timestamptz not null
);
create index event_stream_tickets_by_user on event_stream_tickets (user_id);
create index event_stream_tickets_expiry on event_stream_tickets (expires_at);
