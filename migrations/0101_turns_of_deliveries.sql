-- Within an endpoint, accounts take turns. `share` is that of the owner of the event (`networkOfShare`). The subjects of
-- a share have consecutive turns, and a share without waiting subjects begins with the lowest turn of the endpoint.
alter table webhook_queues add column share text, add column turn int not null default 0;
