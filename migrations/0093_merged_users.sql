-- Who got the records of a closed guest or customer. Requests that were in progress may store some for the closed user
-- afterwards, and these must follow. Null: the user was not merged into another one.
alter table users add column merged_into text;

-- The first issues that an order shows, with their layers. Null in rows of earlier releases: they are read from the
-- document, which takes some milliseconds for a large one.
alter table finalizations add column accepted_issues json;
