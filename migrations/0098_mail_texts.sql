-- What an administrator wrote for mails about orders, by kind and language. Null: the text of the service applies again.
create table mail_texts (
  kind text not null,
  language text not null,
  -- Counts the changes, so that no version has the number of another one.
  revision int not null,
  subject text,
  body text,
  updated_at timestamptz not null,
  primary key (kind, language)
);
