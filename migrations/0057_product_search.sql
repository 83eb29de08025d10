-- The words by which a product is found. Each word of a search is the beginning of one of them. Computing them takes a
-- fraction of a millisecond, so the planner must know that the index is cheaper than the function.
create function product_search(name text, description text, description_markdown text, categories text[])
  returns tsvector
  language sql immutable parallel safe cost 10000
  return array_to_tsvector(
    coalesce(
      search_words(concat_ws(' ', name, description, description_markdown, array_to_string(categories, ' '))),
      '{}'
    )
  );
