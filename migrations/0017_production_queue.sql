-- What operators find orders by.

-- The words of a text as they are compared: small letters without accents, cut at whatever is no letter and no digit.
-- Both sides of a search go through it. A word is cut off, because a lexeme has at most 2 KB and compatibility forms
-- of one character can be eighteen.
create function search_words(text text) returns text[]
  language sql immutable parallel safe strict
  return array(
    select left(word, 60)
    from regexp_split_to_table(
      replace(
        regexp_replace(lower(normalize(text, nfkd) collate pg_c_utf8), '[\u0300-\u036f]', '', 'g'),
        'ß', 'ss'
      ),
      '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f]+'
    ) as word
    where word <> ''
  );

-- What is looked for, every word of it as the beginning of one. Two letters begin too many words, and count as whole
-- ones; in other scripts they are often a name.
create function search_query(text text) returns tsquery
  language sql immutable parallel safe strict
  return (
    select string_agg('''' || word || case when word ~ '^[\x01-\x7f]{1,2}$' then '''' else ''':*' end, ' & ')
    from unnest(search_words(text)) as word
  )::tsquery;

-- Only what people name on the telephone: the halves of the order's number, who receives the parcel, the postal code,
-- the address for mails. A common word (a city, a country) would find a tenth of all orders.
create function order_search(number text, address json) returns tsvector
  language sql immutable parallel safe strict
  return array_to_tsvector(
    search_words(
      concat_ws(' ', substr(number, 4), address ->> 'name', address ->> 'company', address ->> 'postalCode')
    )
    || case when address ->> 'email' is null then '{}' else array[lower(address ->> 'email' collate pg_c_utf8)] end
  );

-- Follows the row by itself: with an erased account the words are gone, too. Entries are written at once, so that no
-- request has to work off a heap of them.
create index orders_search on orders using gin (order_search(number, shipping_address)) with (fastupdate = off);

create index orders_by_country on orders ((shipping_address ->> 'country'), id);
create index shipments_by_tracking_number on shipments (tracking_number) where tracking_number is not null;
create index item_files_unfinished on item_files (status, order_id) where status <> 'ready';
