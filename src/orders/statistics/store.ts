import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import { lockName } from '../../platform/db/locking/locks.ts'

/** What happened in a period in one currency. Amounts are in minor units. */
interface PeriodFigures {
  currency: string
  orders: number
  orderedAmount: number
  capturedAmount: number
  refundedAmount: number
}

interface DayFigures extends PeriodFigures {
  /** Such as `2026-11-23`, in the time zone of the question. */
  day: string
}

interface HourFigures extends PeriodFigures {
  /** Beginning of the hour. */
  hour: Date
}

const SUMS = sql`
  sum(orders)::float8 as orders, sum(ordered_amount)::float8 as "orderedAmount",
  sum(captured_amount)::float8 as "capturedAmount", sum(refunded_amount)::float8 as "refundedAmount"`

/** All offsets of present time zones are whole quarters of an hour. */
const QUARTER = sql`interval '15 minutes'`

const quarterOf = (column: string) => sql`date_bin(${QUARTER}, ${sql.ref(column)}, timestamptz 'epoch')`

/** Orders and captures of a period by quarters of an hour, read from every order and payment. */
const countedQuarters = ({ from, to }: { from: Date; to: Date }) => sql`
  select quarter, currency, sum(orders) as orders, sum(ordered_amount) as ordered_amount,
    sum(captured_amount) as captured_amount
  from (
    select ${quarterOf('created_at')} as quarter, currency, 1 as orders, total_amount as ordered_amount,
      0 as captured_amount
    from orders where created_at >= ${from} and created_at < ${to}
    union all
    select ${quarterOf('p.captured_at')}, o.currency, 0, 0, p.captured_amount
    from payments p join orders o on o.id = p.order_id where p.captured_at >= ${from} and p.captured_at < ${to}
  ) as facts
  group by quarter, currency`

/** Refunds of a period that succeeded by quarters of an hour, read from every refund. */
const refundQuarters = ({ from, to }: { from: Date; to: Date }) => sql`
  select date_bin(${QUARTER}, coalesce(r.ended_at, r.created_at), timestamptz 'epoch') as quarter, o.currency,
    sum(r.amount) as refunded_amount
  from refunds r join payments p on p.id = r.payment_id join orders o on o.id = p.order_id
  where r.status = 'succeeded' and coalesce(r.ended_at, r.created_at) >= ${from}
    and coalesce(r.ended_at, r.created_at) < ${to}
  group by 1, 2`

/**
 * Counts the orders, the captures and the refunds of each day of a period. Days without any are missing.
 *
 * @param from beginning of a day in the time zone
 */
export async function readDays(
  db: Db,
  { from, to, timeZone }: { from: Date; to: Date; timeZone: string },
): Promise<DayFigures[]> {
  // Quarters before these times no longer change, so the two statements need no common snapshot.
  const { totals, live, liveRefunds } = await readBeginningOfLive(db, from)
  const { rows } = await sql<DayFigures>`
    with figures as (
      ${figuresOfQuarters({ from: totals, live, liveRefunds, to })}
      union all
      ${addedUpDays({ from, to: totals, timeZone })}
    )
    select to_char(day, 'YYYY-MM-DD') as day, currency, ${SUMS}
    from figures cross join lateral (select (quarter at time zone ${timeZone})::date as day) of_zone
    group by of_zone.day, currency order by currency, of_zone.day`.execute(db)
  return rows
}

/**
 * Counts the orders, the captures and the refunds of each hour of a day. Hours without any are missing.
 *
 * @param from beginning of the day, with which its first hour begins
 */
export async function readHours(db: Db, { from, to }: { from: Date; to: Date }): Promise<HourFigures[]> {
  const { live, liveRefunds } = await readBeginningOfLive(db, from)
  const { rows } = await sql<HourFigures>`
    with figures as (${figuresOfQuarters({ from, live, liveRefunds, to })})
    select date_bin(interval '1 hour', quarter, ${from}) as hour, currency, ${SUMS}
    from figures group by 1, currency order by currency, 1`.execute(db)
  return rows
}

/** The figures of quarters: up to `live` as they were counted in advance, and then from every order, payment and refund. */
const figuresOfQuarters = ({
  from,
  live,
  liveRefunds,
  to,
}: {
  from: Date
  live: Date
  liveRefunds: Date
  to: Date
}) => sql`
  select quarter, currency, orders, ordered_amount, captured_amount,
    case when quarter < ${liveRefunds} then refunded_amount else 0 end as refunded_amount
  from order_quarters where quarter >= ${from} and quarter < ${live}
  union all
  select quarter, currency, orders, ordered_amount, captured_amount, 0
  from (${countedQuarters({ from: live, to })}) as counted
  union all
  select quarter, currency, 0, 0, 0, refunded_amount
  from (${refundQuarters({ from: liveRefunds, to })}) as refunded`

/**
 * The figures of each day of a period from `order_running_totals`, with the beginning of the day as its quarter. They
 * are the differences of the totals at its ends.
 */
const addedUpDays = ({ from, to, timeZone }: { from: Date; to: Date; timeZone: string }) => sql`
  (with recursive currencies as (
    (select currency from order_running_totals order by currency limit 1)
    union all
    -- Reads one row for each currency. \`distinct\` would read the whole index.
    select (select t.currency from order_running_totals t where t.currency > c.currency order by t.currency limit 1)
    from currencies c where c.currency is not null
  ), edges as (
    -- Where midnight occurs twice, the day begins with the first one.
    select greatest(${from}::timestamptz, least(${to}::timestamptz, day at time zone ${timeZone},
      (day - interval '1 hour') at time zone ${timeZone} + interval '1 hour')) as at
    from generate_series((${from}::timestamptz at time zone ${timeZone})::date::timestamp,
      (${to}::timestamptz at time zone ${timeZone})::date + 1, interval '1 day') as days (day)
  ), totals as (
    select at, currency, orders, ordered_amount, captured_amount, refunded_amount,
      row_number() over w > 1 as has_previous, lag(at) over w as begin, lag(orders) over w as orders_before,
      lag(ordered_amount) over w as ordered_before, lag(captured_amount) over w as captured_before,
      lag(refunded_amount) over w as refunded_before
    from edges cross join currencies left join lateral (
      select t.orders, t.ordered_amount, t.captured_amount, t.refunded_amount from order_running_totals t
      where t.currency = currencies.currency and t.quarter < at order by t.quarter desc limit 1
    ) total on true
    where currency is not null
    window w as (partition by currency order by at)
  )
  select begin, currency, orders - coalesce(orders_before, 0), ordered_amount - coalesce(ordered_before, 0),
    captured_amount - coalesce(captured_before, 0), refunded_amount - coalesce(refunded_before, 0)
  from totals where has_previous and begin < at and orders is not null
    and (orders, ordered_amount, captured_amount, refunded_amount)
      is distinct from (orders_before, ordered_before, captured_before, refunded_before))`

/**
 * Returns the end of the days that are added up in advance, and from when on the orders, and the refunds, of a period are
 * not counted in advance.
 */
async function readBeginningOfLive(db: Db, from: Date): Promise<{ totals: Date; live: Date; liveRefunds: Date }> {
  const counted = await db
    .selectFrom('order_quarters_until')
    .select(['until', 'refunds_until', 'totals_until'])
    .executeTakeFirst()
  const later = (until: Date | null | undefined) => (until && until > from ? until : from)
  return {
    totals: later(counted?.totals_until),
    live: later(counted?.until),
    liveRefunds: later(counted?.refunds_until),
  }
}

/** Returns the beginning of a day: `daysAgo` days before the one of `now`, in a time zone. */
export async function beginningOfDay(db: Db, now: Date, daysAgo: number, timeZone: string): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    select ((${now}::timestamptz at time zone ${timeZone})::date - ${daysAgo}::int)::timestamp at time zone ${timeZone}
      as at`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('a select without a table returned no row')
  return row.at
}

/** Returns the number of orders in each status. Statuses without orders may be missing. */
export async function countByStatus(db: Db): Promise<{ status: string; orders: number }[]> {
  const { rows } = await sql<{ status: string; orders: number; isWhole: boolean }>`
    select status, sum(orders)::float8 as orders, bool_or(bool_or(is_sum)) over () as "isWhole"
    from order_status_counts group by status`.execute(db)
  if (rows[0]?.isWhole === true) return rows.map(({ status, orders }) => ({ status, orders }))
  const counted = await sql<{ status: string; orders: number }>`
    select status, count(*)::float8 as orders from orders group by status`.execute(db)
  return counted.rows
}

/** Up to this number of rows, adding them up in advance would save no time. */
const FEW_ROWS = 100

/**
 * Replaces the rows of `order_status_counts` by one for each status. If that was never done, counts all orders. No change
 * is missed or counted twice, because one statement sees rows and orders of the same moment.
 *
 * @param recounts whether to count all orders in any case: a database that was copied without its triggers has wrong sums
 */
export async function addUpStatuses(trx: Trx, { recounts = false } = {}): Promise<void> {
  // Otherwise two runs could both count the orders.
  await lockName(trx, 'order_status_counts')
  const { rows } = await sql<{ changes: number; isWhole: boolean | null }>`
    select count(*)::int as changes, bool_or(is_sum) as "isWhole" from order_status_counts`.execute(trx)
  const [{ changes, isWhole } = { changes: 0, isWhole: false }] = rows
  const isCounted = isWhole === true && !recounts
  if (isCounted && changes <= FEW_ROWS) return
  await sql`
    with gone as (delete from order_status_counts returning status, orders)
    insert into order_status_counts (status, orders, is_sum)
    select status, orders, true from (
      ${isCounted ? sql`select status, sum(orders) from gone group by status` : COUNTED_ORDERS}
    ) as sums (status, orders)`.execute(trx)
}

/** Has a row even without orders, which says that they are counted. */
const COUNTED_ORDERS = sql`
  select status, sum(orders) from (
    select status, count(*) as orders from orders group by status union all select 'awaiting_payment', 0
  ) as counted group by status`

/** Counts the orders in some statuses that were due before a time, up to a limit. */
export async function countLate(
  db: Db,
  { statuses, now, atMost }: { statuses: readonly string[]; now: Date; atMost: number },
): Promise<number> {
  const { rows } = await sql<{ orders: number }>`
    select count(*)::int as orders from (
      select from orders where status = any(${statuses}::text[]) and due_at < ${now} limit ${atMost}
    ) as late`.execute(db)
  return rows[0]?.orders ?? 0
}

/**
 * Adds the quarters of the next days to `order_quarters`. The caller repeats it until it returns false.
 *
 * @param before beginning of a quarter in which transactions may still add orders
 * @returns whether more may be left
 */
export async function countQuarters(
  trx: Trx,
  { before, atMostDays }: { before: Date; atMostDays: number },
): Promise<boolean> {
  const held = await trx
    .selectFrom('order_quarters_until')
    .select(['until', 'refunds_until', 'totals_until'])
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (held === undefined) return false
  const isBegun = held.until && held.refunds_until && held.totals_until
  const first = isBegun ? before : await firstQuarter(trx, before)
  const next = (counted: Date | null, end: Date) => {
    const from = counted ?? first
    const to = new Date(Math.min(end.getTime(), from.getTime() + atMostDays * 24 * 3_600_000))
    return { from, to: to > from ? to : from }
  }
  const orders = next(held.until, before)
  const refunds = next(held.refunds_until, orders.to)
  const totals = next(held.totals_until, refunds.to)
  await insertQuarters(trx, orders)
  await addRefunds(trx, refunds)
  await addUp(trx, totals)
  await trx
    .updateTable('order_quarters_until')
    .set({ until: orders.to, refunds_until: refunds.to, totals_until: totals.to })
    .execute()
  return orders.to < before || refunds.to < orders.to || totals.to < refunds.to
}

async function insertQuarters(trx: Trx, { from, to }: { from: Date; to: Date }): Promise<void> {
  await sql`
    insert into order_quarters (quarter, currency, orders, ordered_amount, captured_amount)
    ${countedQuarters({ from, to })}`.execute(trx)
}

async function addRefunds(trx: Trx, { from, to }: { from: Date; to: Date }): Promise<void> {
  await sql`
    insert into order_quarters (quarter, currency, orders, ordered_amount, captured_amount, refunded_amount)
    select quarter, currency, 0, 0, 0, refunded_amount from (${refundQuarters({ from, to })}) as refunded
    on conflict (quarter, currency) do update set refunded_amount = excluded.refunded_amount`.execute(trx)
}

async function addUp(trx: Trx, { from, to }: { from: Date; to: Date }): Promise<void> {
  await sql`
    insert into order_running_totals (currency, quarter, orders, ordered_amount, captured_amount, refunded_amount)
    select q.currency, q.quarter,
      coalesce(before.orders, 0) + sum(q.orders) over w, coalesce(before.ordered_amount, 0) + sum(q.ordered_amount) over w,
      coalesce(before.captured_amount, 0) + sum(q.captured_amount) over w,
      coalesce(before.refunded_amount, 0) + sum(q.refunded_amount) over w
    from order_quarters q left join lateral (
      select t.orders, t.ordered_amount, t.captured_amount, t.refunded_amount from order_running_totals t
      where t.currency = q.currency order by t.quarter desc limit 1
    ) before on true
    where q.quarter >= ${from} and q.quarter < ${to}
    window w as (partition by q.currency order by q.quarter)`.execute(trx)
}

async function firstQuarter(trx: Trx, before: Date): Promise<Date> {
  // Captures and refunds follow their order.
  const { rows } = await sql<{ at: Date | null }>`
    select ${quarterOf('created_at')} as at from orders order by created_at limit 1`.execute(trx)
  return rows[0]?.at ?? before
}
