-- The job runners of all processes. A runner that stops renewing its row is presumed dead, and any other process releases
-- the jobs that it holds. All times are the database's, because the clocks of two machines may differ.
create table job_runners (
  -- The runner's name in graphile_worker's locked_by columns.
  id text primary key,
  last_seen_at timestamptz not null default now(),
  -- Set once the runner is presumed dead. A process that was only frozen finds it here, and continues under a new id.
  -- Until the row is deleted, whatever else the old runner takes is released as well.
  taken_over_at timestamptz
);
