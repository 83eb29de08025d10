-- The sums of order_quarters from the first quarter to this one, so that the figures of a day are the difference of two
-- rows. Without them, a chart of 90 days adds up some ten thousand quarters.
create table order_running_totals (
  currency text not null,
  quarter timestamptz not null,
  orders bigint not null,
  ordered_amount bigint not null,
  captured_amount bigint not null,
  refunded_amount bigint not null,
  primary key (currency, quarter)
);

-- Up to when quarters with their refunds are added up in order_running_totals. Null: none is added up yet.
alter table order_quarters_until add column totals_until timestamptz;
