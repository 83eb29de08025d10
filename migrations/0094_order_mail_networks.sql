-- The network of the customer, if it is a guest or has not paid yet. Such customers of one network take turns together,
-- because a client may register any number of accounts.
alter table order_mails add column network text;
