/** Parameters of the sample orders. Every value of an order is derived from the number of the order and the seed. */

export interface Extent {
  seed: number
  orders: number
  designs: number
  customers: number
  until: Date
  /** Id of the user with the most orders. If empty, a customer is generated. */
  greatestCustomer: string
}

/** SQL that creates temporary functions, which derive values from numbers. */
export const HELPERS = ({ seed, orders, designs, customers, until, greatestCustomer }: Extent): string => `
  create function pg_temp.orders() returns bigint language sql immutable return ${orders}::bigint;
  create function pg_temp.designs() returns bigint language sql immutable return ${designs}::bigint;
  create function pg_temp.customers() returns bigint language sql immutable return ${customers}::bigint;
  create function pg_temp.until() returns timestamptz language sql immutable
  return timestamptz '${until.toISOString()}';
  create function pg_temp.greatest_customer() returns text language sql immutable return '${greatestCustomer}';

  -- Returns a pseudo-random number from 0 to 1. Another salt gives an independent value for the same n.
  create function pg_temp.even(n bigint, salt int) returns float8 language sql immutable
  return (hashint8extended(n, ${seed}::bigint * 1000 + salt) & 2147483647) / 2147483648.0;

  create function pg_temp.hex(n bigint, salt int) returns text language sql immutable
  return md5('${seed}:' || salt || ':' || n);

  create function pg_temp.base32(value bigint, digit int) returns text language sql immutable
  return substr('0123456789abcdefghjkmnpqrstvwxyz', ((value >> (5 * digit)) & 31)::int + 1, 1);

  create function pg_temp.milliseconds(at timestamptz) returns bigint language sql immutable
  return (date_part('epoch', at) * 1000)::bigint;

  -- Returns the ten of the 26 characters of a TypeID that encode the time.
  create function pg_temp.stamp(ms bigint) returns text language sql immutable
  return pg_temp.base32(ms, 9) || pg_temp.base32(ms, 8) || pg_temp.base32(ms, 7) || pg_temp.base32(ms, 6)
    || pg_temp.base32(ms, 5) || pg_temp.base32(ms, 4) || pg_temp.base32(ms, 3) || pg_temp.base32(ms, 2)
    || pg_temp.base32(ms, 1) || pg_temp.base32(ms, 0);

  -- Returns a TypeID. Its alphabet contains the hexadecimal digits; the fixed characters encode the version of the UUID.
  create function pg_temp.id(prefix text, stamp text, n bigint, salt int) returns text language sql immutable
  return prefix || '_' || stamp || 'e' || overlay(left(pg_temp.hex(n, salt), 15) placing '8' from 3);

  create function pg_temp.luhn_addend(value bigint, digit int) returns bigint language sql immutable
  return case digit % 2 when 1 then (value >> (5 * digit)) & 31
    else 2 * ((value >> (5 * digit)) & 31) % 32 + ((value >> (5 * digit)) & 31) / 16 end;

  create function pg_temp.luhn_sum(value bigint) returns bigint language sql immutable
  return pg_temp.luhn_addend(value, 0) + pg_temp.luhn_addend(value, 1) + pg_temp.luhn_addend(value, 2)
    + pg_temp.luhn_addend(value, 3) + pg_temp.luhn_addend(value, 4) + pg_temp.luhn_addend(value, 5)
    + pg_temp.luhn_addend(value, 6);

  -- Returns seven digits in base 32 for an order number. They differ for each n of one seed.
  create function pg_temp.order_digits(n bigint) returns bigint language sql immutable
  return (((n + ${seed}::bigint * 100000000) % 34359738368) * 22695477) % 34359738368;

  -- Formats an order number, which ends with a check character by Luhn's algorithm in base 32.
  create function pg_temp.order_number(digits bigint) returns text language sql immutable
  return upper('PL-' || pg_temp.base32(digits, 6) || pg_temp.base32(digits, 5) || pg_temp.base32(digits, 4)
    || pg_temp.base32(digits, 3) || '-' || pg_temp.base32(digits, 2) || pg_temp.base32(digits, 1)
    || pg_temp.base32(digits, 0) || pg_temp.base32((32 - pg_temp.luhn_sum(digits) % 32) % 32, 0));

  -- Returns the customer of a design. A few customers have thousands of orders, and most have few.
  create function pg_temp.customer_of(design bigint, customers bigint) returns bigint language sql immutable
  return floor(customers * power(pg_temp.even(design, 1), 4))::bigint;

  create function pg_temp.one_of(choices text[], share float8) returns text language sql immutable
  return choices[1 + floor(share * cardinality(choices))::int];

  -- Returns a time that is not after the time of the newest order.
  create function pg_temp.at_latest(at timestamptz) returns timestamptz language sql immutable
  return least(at, pg_temp.until());

  create function pg_temp.money(amount bigint, currency text) returns json language sql immutable
  return json_build_object('amount', amount, 'currency', currency);

  create function pg_temp.wire_time(at timestamptz) returns text language sql immutable
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
`

/** SQL that creates temporary tables for the products and for the orders of one batch before they are inserted. */
export const PLAN = `
  create temp table goods as
  select row_number() over (order by p.id) - 1 as number, p.id as product_id, p.currency, p.print_areas, v ->> 'id' as variant_id,
    (v ->> 'weightGrams')::int as weight_grams, v -> 'priceTiers' as price_tiers
  from products p, lateral (select v from json_array_elements(p.variants) as v limit 1)
  where p.status = 'active';

  create temp table made (
    design bigint primary key, customer bigint, design_id text, finalization_id text, owner_id text, currency text,
    product_id text, variant_id text, weight_grams int, print_areas json, price_tiers json
  );

  create temp table plan (
    n bigint primary key, id text, number text, owner_id text, design_id text, finalization_id text, status text,
    held_status text, created_at timestamptz, paid_at timestamptz, started_at timestamptz, shipped_at timestamptz,
    delivered_at timestamptz, cancelled_at timestamptz, updated_at timestamptz, country text, shipping_method text,
    currency text, variant_id text, subtotal bigint, shipping bigint, tax bigint, total bigint, refunded bigint,
    payment_id text, shipment_id text, address json
  );

  create temp table plan_items (
    n bigint, position int, id text, quantity int, unit_amount bigint, total bigint, primary key (n, position)
  );
`

const SINCE = `(pg_temp.until() - interval '2 years')`
const SINCE_STAMP = `pg_temp.stamp(pg_temp.milliseconds${SINCE})`
const OWNER = (customer: string) => `case when ${customer} = 0 and pg_temp.greatest_customer() <> ''
  then pg_temp.greatest_customer() else pg_temp.id('usr', ${SINCE_STAMP}, ${customer}, 2) end`

/** SQL that inserts the customers and the designs, which the orders of all batches use. */
export const TOTALS: readonly string[] = [
  `insert into users (id, email, email_verified_at, role, created_at, updated_at)
   select ${OWNER('n')}, 'customer-' || left(pg_temp.hex(n, 0), 12) || '@example.com', ${SINCE}, 'customer', ${SINCE}, ${SINCE}
   from generate_series(0, pg_temp.customers() - 1) as n
   on conflict do nothing`,

  `insert into made
   select design, customer, pg_temp.id('dsn', ${SINCE_STAMP}, design, 3), pg_temp.id('fin', ${SINCE_STAMP}, design, 4),
     ${OWNER('customer')}, currency, product_id, variant_id, weight_grams, print_areas, price_tiers
   from generate_series(0, pg_temp.designs() - 1) as design,
     lateral (select pg_temp.customer_of(design, pg_temp.customers()) as customer offset 0) designer, goods
   where number = design % (select count(*) from goods)`,

  'analyze made',

  `insert into designs (id, owner_id, status, revision, name, product_id, variant_id, document, preflight, metadata,
     created_at, updated_at)
   select design_id, owner_id, 'finalized', 1, 'Sample ' || design, product_id, variant_id,
     json_build_object('version', 1, 'placements', json_build_array(json_build_object(
       'printAreaId', print_areas -> 0 ->> 'id', 'layers', json_build_array(json_build_object(
         'id', 'text', 'type', 'text', 'x', 10, 'y', 10, 'width', 60, 'height', 20, 'rotation', 0, 'opacity', 1,
         'text', 'Sample ' || design, 'fontFamily', 'Inter', 'fontWeight', 400, 'fontStyle', 'normal', 'fontSizePt', 12,
         'color', '#000000', 'align', 'left', 'verticalAlign', 'top', 'lineHeight', 1.2, 'letterSpacing', 0))))),
     '{"ok":true,"issues":[]}', '{}', ${SINCE}, ${SINCE}
   from made`,

  `insert into finalizations (id, design_id, revision, content_hash, product_id, variant_id, weight_grams, print_areas,
     files, warnings, placeholders, finalized_at)
   select finalization_id, design_id, 1, hash, product_id, variant_id, weight_grams, print_areas,
     json_build_array(
       json_build_object('id', 'print', 'kind', 'print', 'mediaType', 'application/pdf', 'bytes', 48213,
         'sha256', hash, 'pages', 1),
       json_build_object('id', 'preview-front', 'kind', 'preview', 'printAreaId', print_areas -> 0 ->> 'id',
         'mediaType', 'image/webp', 'bytes', 9120, 'sha256', reverse(hash))),
     '[]', '[]', ${SINCE}
   from made, lateral (select pg_temp.hex(design, 5) || pg_temp.hex(design, 6) as hash offset 0) content`,

  `insert into price_locks (finalization_id, number, price_tiers, currency, valid_until, receipt, locked_at)
   select finalization_id, 1, price_tiers, currency, pg_temp.until() + interval '30 days',
     'e30.' || repeat(pg_temp.hex(design, 7), 16) || '.' || repeat('0', 86), pg_temp.until()
   from made`,
]

/** Number of the newest orders, which are still open. It is large enough that every status occurs. */
const OPEN = `greatest(60, pg_temp.orders() / 70)`

const CREATED = `(${SINCE} + (n + 1) * (interval '2 years' / pg_temp.orders()))`

const PRUNED_BEFORE = `pg_temp.until() - interval '29 days'`

/** SQL that inserts the orders of one batch: those with numbers from $1 to $2, without $2. */
export const BATCH: readonly string[] = [
  'truncate plan, plan_items',

  `insert into plan_items (n, position, id, quantity, unit_amount, total)
   select n, position, pg_temp.id('itm', stamp, n, 20 + position), quantity, unit_amount, quantity * unit_amount
   from (
     select n, position, stamp,
       pg_temp.one_of('{1,1,2,5,10,25,50,100,250,500}', pg_temp.even(n, 30 + position))::int as quantity, n % pg_temp.designs() as design
     from generate_series($1::bigint, $2::bigint - 1) as n,
       lateral (select pg_temp.stamp(ms) as stamp from (select pg_temp.milliseconds(${CREATED}) as ms offset 0) created offset 0) stamped,
       lateral (select case when pg_temp.even(n, 8) < 0.8 then 1 when pg_temp.even(n, 8) < 0.95 then 2 else 3 end as items offset 0) size,
       generate_series(0, items - 1) as position
     offset 0
   ) item
   join made using (design),
   lateral (
     select (tier ->> 'unitAmount')::bigint as unit_amount from json_array_elements(price_tiers) as tier
     where (tier ->> 'minQuantity')::int <= quantity order by (tier ->> 'minQuantity')::int desc limit 1
   )
`,

  'analyze plan_items',

  `insert into plan
   select n, pg_temp.id('ord', stamp, n, 9), pg_temp.order_number(digits), owner_id, design_id, finalization_id, status, case when status = 'on_hold' then 'confirmed' end, created_at,
     case when is_paid then pg_temp.at_latest(created_at + interval '5 minutes') end,
     case when status in ('in_production', 'partially_shipped', 'shipped', 'delivered') then pg_temp.at_latest(created_at + interval '20 hours') end,
     case when status in ('partially_shipped', 'shipped', 'delivered') then pg_temp.at_latest(created_at + interval '44 hours') end,
     case when status = 'delivered' then pg_temp.at_latest(created_at + interval '90 hours') end,
     case when status = 'cancelled' then pg_temp.at_latest(created_at + interval '3 hours') end,
     pg_temp.at_latest(created_at + case status when 'awaiting_payment' then interval '0' when 'confirmed' then interval '5 minutes'
       when 'on_hold' then interval '1 hour' when 'cancelled' then interval '3 hours'
       when 'in_production' then interval '20 hours' when 'delivered' then interval '90 hours' else interval '44 hours' end),
     country, method, currency, variant_id, subtotal, shipping, tax, subtotal + shipping + tax,
     case when is_paid and status = 'cancelled' then subtotal + shipping + tax
       when status = 'delivered' and pg_temp.even(n, 10) < 0.01 then subtotal / 2 else 0 end,
     pg_temp.id('pay', stamp, n, 11), pg_temp.id('shp', stamp, n, 12),
     json_build_object('name', first_name || ' ' || last_name, 'line1', 'Lindenstraße ' || 1 + customer % 90,
       'city', city, 'postalCode', postal_code, 'country', country,
       'email', 'customer-' || left(pg_temp.hex(customer, 0), 12) || '@example.com')
   from (
     select n, n % pg_temp.designs() as design, ${CREATED} as created_at, pg_temp.order_digits(n) as digits,
       n >= pg_temp.orders() - ${OPEN} as is_open
     from generate_series($1::bigint, $2::bigint - 1) as n
     offset 0
   ) ordered
   join made using (design)
   join (select n, sum(i.total)::bigint as subtotal from plan_items i group by n) items using (n),
   lateral (select pg_temp.milliseconds(created_at) as ms offset 0) created,
   lateral (select pg_temp.stamp(ms) as stamp offset 0) stamped,
   lateral (select case
     when is_open then pg_temp.one_of('{awaiting_payment,awaiting_payment,confirmed,confirmed,in_production,in_production,on_hold,partially_shipped,shipped,shipped}', pg_temp.even(n, 13))
     when pg_temp.even(n, 13) < 0.02 then 'awaiting_payment' when pg_temp.even(n, 13) < 0.1 then 'cancelled'
     else 'delivered' end as status offset 0) state,
   lateral (select status not in ('awaiting_payment', 'cancelled') or (status = 'cancelled' and pg_temp.even(n, 14) < 0.5) as is_paid offset 0) paid,
   lateral (select pg_temp.one_of('{DE,DE,DE,DE,DE,FR,NL,AT,CH,DK}', pg_temp.even(customer, 15)) as country,
     case when pg_temp.even(n, 16) < 0.15 then 'express' else 'standard' end as method,
     pg_temp.one_of('{Ada,Grace,Emmy,Sofia,Maryam,Alan,Kurt,Emil,Linus,Noor,Mila,Jonas,Ida,Yuki,Ana,Omar}', pg_temp.even(customer, 17)) as first_name,
     pg_temp.one_of('{Alt,Berg,Brand,Eich,Feld,Gold,Hart,Kron,Lind,Neu,Ober,Rosen,Stein,Wald,West,Zell}', pg_temp.even(customer, 18))
       || pg_temp.one_of('{bach,berger,brink,dorf,egger,hauser,hof,holz,inger,kamp,mann,meier,meister,müller,rath,sen}', pg_temp.even(customer, 24))
       as last_name,
     pg_temp.one_of('{Berlin,Hamburg,Leipzig,Köln,Bremen}', pg_temp.even(customer, 19)) as city,
     lpad((floor(pg_temp.even(customer, 20) * 89999) + 10000)::text, 5, '0') as postal_code offset 0) place,
   lateral (select case method when 'express' then 1490 else 490 end as shipping offset 0) sending,
   lateral (select (round((subtotal + shipping) * case country when 'DE' then 19 when 'FR' then 20 when 'NL' then 21 else 0 end / 100.0))::bigint as tax offset 0) taxed`,

  // Without this statement, the planner would assume that the tables are still small.
  'analyze plan',

  `insert into orders (id, number, owner_id, status, held_status, shipping_address, shipping_method, currency,
     subtotal_amount, shipping_amount, tax_amount, total_amount, tax_included, metadata, due_at, created_at, updated_at)
   select id, number, owner_id, status, held_status, address, shipping_method, currency, subtotal, shipping, tax, total,
     false, '{"sample":true}', coalesce(paid_at + interval '7 days', 'infinity'), created_at, updated_at
   from plan order by n`,

  `insert into order_items (id, order_id, position, design_id, finalization_id, price_lock, variant_id, quantity,
     unit_amount, total_amount)
   select i.id, p.id, position, design_id, finalization_id, 1, variant_id, quantity, unit_amount, i.total
   from plan p join plan_items i using (n)
   order by n, position`,

  `insert into payments (id, order_id, status, method, reference, amount, captured_amount, refunded_amount, captured_at)
   select payment_id, id,
     case when paid_at is null then 'pending' when refunded = 0 then 'captured' when refunded = total then 'refunded'
       else 'partially_refunded' end,
     case when paid_at is not null then 'manual' end, case when paid_at is not null then 'RE-' || n end,
     total, case when paid_at is null then 0 else total end, refunded, paid_at
   from plan order by n`,

  `insert into refunds (id, payment_id, amount, created_at)
   select pg_temp.id('ref', pg_temp.stamp(pg_temp.milliseconds(updated_at)), n, 21), payment_id, refunded, updated_at
   from plan where refunded > 0 order by n`,

  `insert into shipments (id, order_id, status, carrier, tracking_number, created_at, delivered_at)
   select shipment_id, id, case when delivered_at is null then 'shipped' else 'delivered' end, 'DHL',
     '00340' || lpad(n::text, 12, '0') || left(pg_temp.hex(n, 22), 3), shipped_at, delivered_at
   from plan where shipped_at is not null order by n`,

  `insert into shipment_items (shipment_id, item_id, quantity)
   select shipment_id, i.id, case when status = 'partially_shipped' and quantity > 1 then quantity - 1 else quantity end
   from plan p join plan_items i using (n) where shipped_at is not null order by n`,

  `insert into order_timeline (order_id, position, type, actor, actor_id, at)
   select id, row_number() over (partition by n order by at, step), type, actor, case actor when 'customer' then owner_id end, at
   from (
     select n, id, owner_id, step, type, actor, at
     from plan, lateral (values
       (1, 'order.created', 'customer', created_at),
       (2, 'payment.captured', 'operator', paid_at),
       (3, 'order.confirmed', 'operator', paid_at),
       (4, 'order.on_hold', 'operator', case when status = 'on_hold' then updated_at end),
       (5, 'order.cancelled', 'customer', cancelled_at),
       (6, 'order.in_production', 'operator', started_at),
       (7, 'shipment.created', 'operator', shipped_at),
       (8, 'order.' || case status when 'partially_shipped' then status else 'shipped' end, 'operator', shipped_at),
       (9, 'shipment.delivered', 'operator', delivered_at),
       (10, 'order.delivered', 'operator', delivered_at),
       (11, 'payment.refunded', 'operator', case when refunded > 0 then updated_at end)
     ) as entry (step, type, actor, at)
     where at is not null
   ) happened
   order by n, step`,

  `insert into events (id, type, subject, owner_id, sequence, data, created_at)
   select pg_temp.id('evt', pg_temp.stamp(pg_temp.milliseconds(t.at)), p.n * 16 + t.sequence, 23), t.type, p.id, p.owner_id, t.sequence, body, t.at
   from plan p,
   lateral (
     select row_number() over (order by position) as sequence, type, at from order_timeline
     where order_id = p.id and type <> 'order.partially_shipped'
   ) t,
   lateral (select json_build_object('id', p.id, 'number', p.number, 'status', p.status,
     'items', (select json_agg(json_build_object('id', i.id, 'designId', p.design_id, 'finalizationId', p.finalization_id,
       'variantId', p.variant_id, 'quantity', quantity, 'unitPrice', pg_temp.money(unit_amount, p.currency), 'total', pg_temp.money(i.total, p.currency)))
       from plan_items i where i.n = p.n),
     'shippingAddress', p.address, 'shippingMethod', p.shipping_method,
     'amounts', json_build_object('subtotal', pg_temp.money(p.subtotal, p.currency), 'shipping', pg_temp.money(p.shipping, p.currency),
       'tax', pg_temp.money(p.tax, p.currency), 'total', pg_temp.money(p.total, p.currency)),
     'taxIncluded', false,
     'payment', json_build_object('id', p.payment_id, 'status', case when t.sequence = 1 then 'pending' else 'captured' end,
       'method', null, 'reference', null, 'amount', pg_temp.money(p.total, p.currency), 'capturedAmount', pg_temp.money(0, p.currency),
       'refundedAmount', pg_temp.money(0, p.currency), 'capturedAt', null, 'refunds', '[]'::json),
     'shipments', '[]'::json,
     'timeline', json_build_array(json_build_object('type', t.type, 'at', pg_temp.wire_time(t.at), 'by', 'operator')),
     'availableActions', '[]'::json, 'metadata', '{"sample":true}'::json,
     'createdAt', pg_temp.wire_time(p.created_at), 'updatedAt', pg_temp.wire_time(t.at)) as body) data
   where t.at > ${PRUNED_BEFORE}
   order by t.at, p.n`,

  // Older events are not inserted, as if they had been pruned. Therefore the last sequence number of each subject must
  // be stored.
  `insert into event_sequences (subject, last)
   select p.id, count(*) from plan p join order_timeline t on t.order_id = p.id
   where t.type <> 'order.partially_shipped' and t.at <= ${PRUNED_BEFORE}
   group by p.id`,
]
