-- What an administrator set for the shop. Null: the value of the environment applies. One row, or none.
create table shop_settings (
  only_one boolean primary key default true check (only_one),
  -- Counts the changes.
  revision int not null default 0,
  name text,
  support_email text,
  -- The first one is for readers of all other languages.
  languages text[],
  -- #rrggbb
  accent_color text,
  -- An image of the shop.
  logo_asset_id text,
  updated_at timestamptz
);
