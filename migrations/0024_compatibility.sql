-- The oldest program that may run on a database with this migration: one that knows the migration with this number. A program
-- of the previous release, which does not know the newest migrations, reads here whether it may start. Null: it may not.
alter table schema_migrations add column min_compatible text;
