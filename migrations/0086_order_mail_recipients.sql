-- The email address to which a mail went. Null for mails that did not go, for those of earlier releases, and after the
-- customer was erased.
alter table order_mails add column recipient text;
