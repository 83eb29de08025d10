-- The words by which an account finds its designs. Each word of a search is the beginning of one of them. The account is
-- a lexeme, too, so that a search does not read the matching designs of other accounts. No word contains its character.
create function design_search(owner_id text, name text) returns tsvector
  language sql immutable parallel safe
  return array_to_tsvector(array['=' || owner_id] || coalesce(search_words(name), '{}'));
