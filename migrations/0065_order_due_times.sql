-- The latest estimated time of delivery, known once the order is paid. `infinity`: not paid yet, or paid under an earlier
-- version. A value instead of null keeps such orders at the end of lists by this column.
alter table orders add column due_at timestamptz not null default 'infinity';
