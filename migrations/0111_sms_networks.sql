-- The network (/24, or /48 of IPv6) of the client that caused the message. Null in rows of the previous release.
alter table sms_history add column network text;
