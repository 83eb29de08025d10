-- An upper bound of the bytes that an account has added without paying, and when they were last counted. Adding up all
-- rows for each addition would take longer with each unpaid order.
alter table storage_usage add column unpaid_bytes bigint, add column unpaid_counted_at timestamptz;
