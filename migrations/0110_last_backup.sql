-- When `platen backup` last completed and verified a backup of this database, for the metric of its age.
create table last_backup (
  only_row boolean primary key default true check (only_row),
  taken_at timestamptz not null
);
