-- Restricts an operator to a part of the work. Null: everything that operators may do, as before. The program ignores the
-- column for other roles, because a release that does not know it leaves the value when it changes a role.
alter table users add column staff_role text;
