-- When a process took the message to send it. Until then, further notices can be added to it.
alter table outbox_messages add column sending_at timestamptz;
-- The notices that the mail collects: their first texts, and their number for each subject.
alter table outbox_messages add column collected json;
-- The mail is not sent before this time.
alter table outbox_messages add column send_after timestamptz;
