-- no transaction
-- Counts the mails that wait for a share.
create index concurrently order_mails_by_share on order_mails (share) where status = 'waiting';
