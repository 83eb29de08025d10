-- What a shop charges besides its products: how parcels are sent and for how much, and the tax of each destination.
-- Set by administrators. Orders and quotes copy what they are charged, so that nothing here alters them later.

create table shipping_methods (
  id text primary key,
  -- In which order methods are offered; the first that fits is the default.
  position int not null,
  name text not null,
  min_days int not null,
  max_days int not null,
  -- Countries with the prices of parcels by weight and currency.
  zones json not null,
  active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Taken away for good. The row stays, because orders name it, and its id is not given to another.
  deleted_at timestamptz,
  constraint shipping_methods_days check (0 <= min_days and min_days <= max_days)
);

-- One row, or none: then nothing is taxed.
create table tax_settings (
  only_one boolean primary key default true check (only_one),
  tax_included boolean not null,
  -- Hundredths of a percent by country and region.
  rates json not null,
  updated_at timestamptz not null
);

-- What there was to choose from, and for how much, when the quote was made.
alter table quotes add column shipping_methods json not null default '[]';

-- Installations that have sold go on charging what was charged until now: the same prices and taxes everywhere,
-- whatever the parcel weighs. Others begin with none, or with samples at their first start.
insert into shipping_methods (id, position, name, min_days, max_days, zones, active, created_at, updated_at)
select id, position, name, min_days, max_days,
  json_build_array(json_build_object('countries', json_build_array('*'),
    'rates', json_build_array(json_build_object('prices', prices)))),
  true, now(), now()
from (values
  ('standard', 1, 'Standard', 4, 7, '[{"amount":490,"currency":"EUR"},{"amount":590,"currency":"USD"},{"amount":450,"currency":"GBP"},{"amount":690,"currency":"CHF"}]'::json),
  ('express', 2, 'Express', 1, 2, '[{"amount":1490,"currency":"EUR"},{"amount":1690,"currency":"USD"},{"amount":1290,"currency":"GBP"},{"amount":1790,"currency":"CHF"}]'::json)
) as kept (id, position, name, min_days, max_days, prices)
where exists (select from orders) or exists (select from quotes);

insert into tax_settings (tax_included, rates, updated_at)
select false,
  '[{"country":"DE","basisPoints":1900},{"country":"FR","basisPoints":2000},{"country":"NL","basisPoints":2100}]', now()
where exists (select from orders) or exists (select from quotes);
