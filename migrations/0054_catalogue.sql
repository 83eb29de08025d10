-- What a shop shows of a product. Images are assets of the shop, so a product names them by id.
alter table products add column images json not null default '[]';
alter table products add column categories text[] not null default '{}';
alter table products add column description_markdown text not null default '';
-- Lists show products with a lower number first.
alter table products add column sort int not null default 0;
