-- When a refund succeeded or failed. Null for pending refunds and for those of the previous release.
alter table refunds add column ended_at timestamptz;

-- Orders and payments by quarters of an hour, so that charts need not read every order. The facts of a quarter never
-- change once all transactions that began in it have ended: an order and a capture keep their time and their amount.
create table order_quarters (
  quarter timestamptz not null,
  currency text not null,
  orders bigint not null,
  ordered_amount bigint not null,
  captured_amount bigint not null,
  primary key (quarter, currency)
);

-- Up to when orders are counted in order_quarters. The process that counts holds the row. Null: nothing is counted yet.
create table order_quarters_until (
  is_only_row boolean primary key default true check (is_only_row),
  until timestamptz
);
insert into order_quarters_until default values;
