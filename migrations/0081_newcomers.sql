-- Customers who registered themselves and have not paid an order yet. Until then, those of one network share processes
-- with its guests, because a client may register any number of accounts.
create table newcomers (
  user_id text primary key references users (id) on delete cascade,
  -- The group that the guests of the network have in their ids. It does not tell the IP address.
  network text not null
);
