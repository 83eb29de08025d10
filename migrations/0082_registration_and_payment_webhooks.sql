-- Who gets a new account. Null: the value of the environment applies.
alter table shop_settings add column registration text;

-- When the latest message of a payment provider arrived, to the minute. Shows administrators whether its webhook works.
create table payment_webhooks (
  provider text primary key,
  received_at timestamptz not null
);
