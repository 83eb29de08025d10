-- The latest times of operations that an account may do a limited number of times. Newest first.
create table account_operations (
  user_id text not null,
  operation text not null,
  performed_at timestamptz[] not null,
  primary key (user_id, operation)
);
