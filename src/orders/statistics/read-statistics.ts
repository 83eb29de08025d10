import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { ORDER_STATUSES, type OrderStatus } from '../order/state.ts'
import { OPEN_STATUSES as IN_THE_SHOP } from '../production/queue/read-selection.ts'
import { type CurrencyFigures, MOST_LATE, OPEN_STATUSES, type OrderStatisticsBody } from './schemas.ts'
import { beginningOfDay, countByStatus, countLate, type DayFigures, readDays } from './store.ts'

/** @throws `validation_failed` for an unknown time zone */
export async function readOrderStatistics(
  { db, clock }: { db: Db; clock: Clock },
  { days, timeZone }: { days: number; timeZone: string },
): Promise<OrderStatisticsBody> {
  checkTimeZone(timeZone)
  const now = clock.now()
  const from = await beginningOfDay(db, now, days - 1, timeZone)
  const to = await beginningOfDay(db, now, -1, timeZone)
  const [counts, lateOrders, figures] = await Promise.all([
    countByStatus(db),
    countLate(db, { statuses: IN_THE_SHOP, now, atMost: MOST_LATE }),
    readDays(db, { from, to, timeZone }),
  ])
  const byStatus = new Map(counts.map(({ status, orders }) => [status, orders]))
  const ordersOf = (statuses: readonly OrderStatus[]) =>
    Object.fromEntries(statuses.map((status) => [status, byStatus.get(status) ?? 0]))
  const calendar = daysFrom(dateIn(timeZone, from), days)
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    timeZone,
    openOrders: ordersOf(OPEN_STATUSES),
    ordersByStatus: ordersOf(ORDER_STATUSES),
    lateOrders,
    currencies: [...Map.groupBy(figures, ({ currency }) => currency)].map(([currency, rows]) =>
      toCurrencyFigures(currency, rows, calendar),
    ),
  }
}

function checkTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    const detail = `"${timeZone}" is no time zone. Send an IANA name, such as Europe/Berlin.`
    throw httpProblems.validation_failed({ detail, errors: [{ code: 'unknown', parameter: 'timeZone', detail }] })
  }
}

/** The date of a time, such as `2026-11-23`. */
const dateIn = (timeZone: string, at: Date): string =>
  // Sweden writes dates as ISO 8601 does.
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at)

const daysFrom = (first: string, days: number): string[] =>
  Array.from({ length: days }, (_, i) => new Date(Date.parse(first) + i * 24 * 3_600_000).toISOString().slice(0, 10))

const NOTHING = { orders: 0, orderedAmount: 0, capturedAmount: 0, refundedAmount: 0 }
type Figures = typeof NOTHING

function toCurrencyFigures(
  currency: string,
  rows: readonly DayFigures[],
  calendar: readonly string[],
): CurrencyFigures {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  const days = calendar.map((day) => ({ day, ...figuresOf(byDay.get(day) ?? NOTHING) }))
  return { currency, ...days.reduce(add, NOTHING), days }
}

const figuresOf = ({ orders, orderedAmount, capturedAmount, refundedAmount }: Figures): Figures => ({
  orders,
  orderedAmount,
  capturedAmount,
  refundedAmount,
})

const add = (sum: Figures, day: Figures): Figures => ({
  orders: sum.orders + day.orders,
  orderedAmount: sum.orderedAmount + day.orderedAmount,
  capturedAmount: sum.capturedAmount + day.capturedAmount,
  refundedAmount: sum.refundedAmount + day.refundedAmount,
})
