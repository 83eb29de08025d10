-- no transaction
create index concurrently products_search on products
  using gin (product_search(name, description, description_markdown, categories)) with (fastupdate = off);
