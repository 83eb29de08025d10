import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { ORDER_STATUSES, type OrderStatus } from '../order/state.ts'
import { OPEN_STATUSES as IN_THE_SHOP } from '../production/queue/read-selection.ts'
import {
  type CurrencyFigures,
  type FailingEndpointBody,
  MOST_LATE,
  OPEN_STATUSES,
  type OrderStatisticsBody,
} from './schemas.ts'
import { beginningOfDay, countByStatus, countLate, readDays, readHours } from './store.ts'

const HOUR_MS = 3_600_000

/** An endpoint to which deliveries have failed. */
interface FailingEndpoint {
  id: string
  url: string
  description: string | null
  ownerId: string
  ownerName: string | null
  ownerEmail: string
  failedDeliveries: number
}

/** Reads which webhook deliveries to endpoints of staff have failed lately. */
export interface ReadFailures {
  countFailures(db: Db, now: Date): Promise<number>
  listFailures(db: Db, now: Date): Promise<FailingEndpoint[]>
}

interface Wanted {
  days: number
  timeZone: string
  /** Whether the caller may read endpoints. */
  listsEndpoints: boolean
}

/** @throws `validation_failed` for an unknown time zone */
export async function readOrderStatistics(
  { db, clock, countFailures, listFailures }: { db: Db; clock: Clock } & ReadFailures,
  { days, timeZone, listsEndpoints }: Wanted,
): Promise<OrderStatisticsBody> {
  checkTimeZone(timeZone)
  const now = clock.now()
  const from = await beginningOfDay(db, now, days - 1, timeZone)
  const to = await beginningOfDay(db, now, -1, timeZone)
  const period = { from, to, timeZone }
  const [counts, lateOrders, failedDeliveries, currencies] = await Promise.all([
    countByStatus(db),
    countLate(db, { statuses: IN_THE_SHOP, now, atMost: MOST_LATE }),
    countFailures(db, now),
    days === 1 ? readToday(db, period) : readSeveralDays(db, { ...period, days }),
  ])
  // Nearly always, there are none.
  const failing = listsEndpoints && failedDeliveries > 0 ? await listFailures(db, now) : []
  const byStatus = new Map(counts.map(({ status, orders }) => [status, orders]))
  const ordersOf = (statuses: readonly OrderStatus[]) =>
    Object.fromEntries(statuses.map((status) => [status, byStatus.get(status) ?? 0]))
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    timeZone,
    openOrders: ordersOf(OPEN_STATUSES),
    ordersByStatus: ordersOf(ORDER_STATUSES),
    lateOrders,
    failedDeliveries,
    ...(listsEndpoints ? { failingEndpoints: failing.map(toFailingEndpointBody) } : {}),
    currencies,
  }
}

function toFailingEndpointBody({
  url,
  ownerId,
  ownerName,
  ownerEmail,
  ...endpoint
}: FailingEndpoint): FailingEndpointBody {
  const { id, description, failedDeliveries } = endpoint
  const owner = { userId: ownerId, name: ownerName, email: ownerEmail }
  return { id, host: new URL(url).host, description, owner, failedDeliveries }
}

interface Period {
  from: Date
  to: Date
  timeZone: string
}

async function readSeveralDays(db: Db, { days, ...period }: Period & { days: number }): Promise<CurrencyFigures[]> {
  const calendar = daysFrom(dateIn(period.timeZone, period.from), days)
  return byCurrency(await readDays(db, period), (rows) => {
    const byDay = new Map(rows.map((row) => [row.day, row]))
    const figures = calendar.map((day) => ({ day, ...figuresOf(byDay.get(day) ?? NOTHING) }))
    return { ...figures.reduce(add, NOTHING), days: figures }
  })
}

/** The figures of the day are the sums of its hours, so that they agree. */
async function readToday(db: Db, { from, to, timeZone }: Period): Promise<CurrencyFigures[]> {
  return byCurrency(await readHours(db, { from, to }), (rows) => {
    const byHour = new Map(rows.map((row) => [row.hour.toISOString(), row]))
    const hours = hoursFrom(from, to).map((hour) => ({ hour, ...figuresOf(byHour.get(hour) ?? NOTHING) }))
    const sums = hours.reduce(add, NOTHING)
    return { ...sums, days: [{ day: dateIn(timeZone, from), ...sums }], hours }
  })
}

function byCurrency<Row extends { currency: string }>(
  rows: readonly Row[],
  toFigures: (rows: readonly Row[]) => Omit<CurrencyFigures, 'currency'>,
): CurrencyFigures[] {
  const groups = Map.groupBy(rows, ({ currency }) => currency)
  return [...groups].map(([currency, own]) => ({ currency, ...toFigures(own) }))
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
  Array.from({ length: days }, (_, i) => new Date(Date.parse(first) + i * 24 * HOUR_MS).toISOString().slice(0, 10))

const hoursFrom = (from: Date, to: Date): string[] =>
  Array.from({ length: Math.ceil((to.getTime() - from.getTime()) / HOUR_MS) }, (_, i) =>
    new Date(from.getTime() + i * HOUR_MS).toISOString(),
  )

const NOTHING = { orders: 0, orderedAmount: 0, capturedAmount: 0, refundedAmount: 0 }
type Figures = typeof NOTHING

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
