create table invitations (
  id text primary key,
  email text not null,
  role text not null,
  staff_role text,
  locale text,
  token_hash text not null unique,
  invited_by text not null references users (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by text references users (id),
  revoked_at timestamptz
);
-- A new invitation replaces the earlier one to the same email address.
create unique index invitations_open on invitations (email) where accepted_at is null and revoked_at is null;
create index invitations_by_inviter on invitations (invited_by);
create index invitations_by_acceptance on invitations (accepted_by) where accepted_by is not null;

create table factor_resets (
  id text primary key,
  user_id text not null references users (id),
  stop_token_hash text not null unique,
  started_by text not null references users (id),
  started_at timestamptz not null,
  due_at timestamptz not null,
  confirmed_by text references users (id),
  completed_at timestamptz,
  stopped_at timestamptz
);
create unique index factor_resets_open on factor_resets (user_id) where completed_at is null and stopped_at is null;
create index factor_resets_due on factor_resets (due_at) where completed_at is null and stopped_at is null;
-- Deleting an account looks for references to it.
create index factor_resets_by_user on factor_resets (user_id);
create index factor_resets_by_starter on factor_resets (started_by);
create index factor_resets_by_confirmer on factor_resets (confirmed_by) where confirmed_by is not null;
