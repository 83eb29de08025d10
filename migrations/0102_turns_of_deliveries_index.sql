-- no transaction
create index concurrently webhook_queues_by_turn on webhook_queues (endpoint_id, turn, due_at);
create index concurrently webhook_queues_of_shares on webhook_queues (endpoint_id, share, turn);
