-- Traces continue from a request, over its event, to the requests of webhooks. Null if traces are not recorded.
alter table events add column traceparent text;
