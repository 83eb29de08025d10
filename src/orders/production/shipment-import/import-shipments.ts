import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LineFaultBody } from '../../../platform/csv/csv-body.ts'
import { CsvError, type CsvRecord, decodeText, readCsv } from '../../../platform/csv/read-csv.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import { type ActionContext, type ActionDeps, contextFor } from '../../order/change/action-context.ts'
import { requireLockedOrder } from '../../order/change/change-order.ts'
import type { ActingUser } from '../../order/order.ts'
import { nextOrderStatus } from '../../order/state.ts'
import { orderProblems } from '../../problems.ts'
import { type Attempt, isWorthRepeating, runEach } from '../bulk/run-each.ts'
import { faultOfTime, hasShipped, shipOrder } from '../ship-order.ts'
import { type Column, type Columns, readHeader } from './columns.ts'
import { type ImportLine, readLine } from './read-lines.ts'
import type { ImportBody, LineBody } from './schemas.ts'
import { findShippable, type ShippableOrder } from './store.ts'

export const MAX_LINES = 1_000

/** Lines that are checked without a pause of the event loop. */
const LINES_AT_ONCE = 100

/** A line of the file with the order that it names, and what the import has found out about it. */
interface CheckedLine extends ImportLine {
  orderId?: string
  outcome: LineBody['outcome']
}

/**
 * Reads a file with parcels and checks each line against the orders.
 *
 * @throws `shipment_file_invalid` if the file as a whole cannot be read
 */
export async function checkImport(
  { db, clock }: Pick<ActionDeps, 'db' | 'clock'>,
  bytes: Uint8Array,
): Promise<{ lines: CheckedLine[]; columns: Columns }> {
  const [header, ...records] = readRecords(bytes)
  const columns = readHeader(header?.fields ?? [])
  const lines: ImportLine[] = []
  for (const [index, record] of records.entries()) {
    if (index % LINES_AT_ONCE === 0) await nextTurn()
    lines.push(readLine(record, columns))
  }
  const keys = lines.flatMap(({ key }) => key ?? [])
  const orders = await findShippable(db, {
    ids: keys.flatMap((key) => ('id' in key ? [key.id] : [])),
    numbers: keys.flatMap((key) => ('number' in key ? [key.number] : [])),
  })
  return { lines: checkLines(lines, orders, columns, clock.now()), columns }
}

function readRecords(bytes: Uint8Array): CsvRecord[] {
  try {
    return readCsv(decodeText(bytes), { maxRecords: MAX_LINES + 1 })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw orderProblems.shipment_file_invalid({ errors: [{ code: error.code, detail: error.message }] })
  }
}

function checkLines(
  lines: readonly ImportLine[],
  orders: readonly ShippableOrder[],
  { found }: Columns,
  now: Date,
): CheckedLine[] {
  const byKey = new Map(orders.flatMap((order) => [[order.id, order] as const, [order.number, order] as const]))
  const lineOf = new Map<string, number>()
  const titleOf = (column: Column) => found.get(column)?.title ?? column
  const column = titleOf('order')
  return lines.map((line): CheckedLine => {
    const { key } = line
    const order = key && byKey.get('id' in key ? key.id : key.number)
    if (order === undefined) {
      return key === undefined ? faulty(line) : faulty(line, { column, ...UNKNOWN_ORDER })
    }
    const earlier = lineOf.get(order.id)
    if (earlier !== undefined) {
      const detail = `Line ${earlier} names the same order. Record the second parcel at the order.`
      return { ...faulty(line, { column, code: 'order_repeated', detail }), orderId: order.id }
    }
    lineOf.set(order.id, line.line)
    return { ...judge(line, order, titleOf, now), orderId: order.id }
  })
}

const UNKNOWN_ORDER = { code: 'order_not_found', detail: 'No order has this number or id.' }

/** What shipping the order would do now. */
function judge(line: ImportLine, order: ShippableOrder, titleOf: (column: Column) => string, now: Date): CheckedLine {
  if (line.errors.length > 0) return faulty(line)
  if (hasShipped(order, line.parcel)) return { ...line, outcome: 'unchanged' }
  if (nextOrderStatus(order, 'ship_rest') === undefined) {
    const detail = `The order is ${order.status}.`
    return faulty(line, { column: titleOf('order'), code: 'order_action_refused', detail })
  }
  const fault = faultOfTime(order, line.parcel, now)
  if (fault === undefined) return { ...line, outcome: 'ready' }
  return faulty(line, { column: titleOf('shippedAt'), code: fault.code, detail: fault.detail })
}

function faulty(line: ImportLine, ...more: LineFaultBody[]): CheckedLine {
  return { ...line, errors: [...line.errors, ...more], outcome: 'faulty' }
}

/**
 * Ships the orders of all lines that are `ready`, each in a transaction of its own. Only the transaction decides: what
 * the check has found may have changed since.
 *
 * @returns the lines with their outcomes, and whether a repeated request could ship more
 */
export async function shipLines(
  deps: Pick<ActionDeps, 'db' | 'clock' | 'provider'>,
  actor: ActingUser,
  lines: readonly CheckedLine[],
  { log }: { log: Pick<Log, 'error'> },
): Promise<{ lines: CheckedLine[]; isRepeatable: boolean }> {
  const ready = lines.filter(({ outcome }) => outcome === 'ready')
  const attempts = await runEach(ready, (line) => shipLine(deps, contextFor(deps, actor), line), { log })
  const attemptOf = new Map(ready.map((line, index) => [line, attempts[index]]))
  return {
    lines: lines.map((line) => {
      const attempt = attemptOf.get(line)
      return attempt === undefined ? line : afterAttempt(line, attempt)
    }),
    isRepeatable: isWorthRepeating(attempts),
  }
}

function shipLine(
  { db }: Pick<ActionDeps, 'db'>,
  context: ActionContext,
  { orderId = '', parcel }: CheckedLine,
): Promise<'shipped' | 'unchanged'> {
  return db.transaction().execute(async (trx) => {
    const order = await requireLockedOrder(trx, { id: orderId })
    if (hasShipped(order, parcel)) return 'unchanged'
    await shipOrder(trx, context, { id: orderId }, parcel)
    return 'shipped'
  })
}

function afterAttempt(line: CheckedLine, attempt: Attempt<'shipped' | 'unchanged'>): CheckedLine {
  if ('result' in attempt) return { ...line, outcome: attempt.result }
  const { code, detail } = attempt.problem
  return faulty(line, { code, detail })
}

export function toImportBody(dryRun: boolean, lines: readonly CheckedLine[], { ignored }: Columns): ImportBody {
  const counts = { ready: 0, shipped: 0, unchanged: 0, faulty: 0 }
  for (const { outcome } of lines) counts[outcome] += 1
  return { dryRun, counts, ignoredColumns: ignored, lines: lines.map(toLineBody) }
}

function toLineBody({ line, order, orderId, outcome, errors }: CheckedLine): LineBody {
  return {
    line,
    order,
    ...(orderId === undefined ? {} : { orderId }),
    outcome,
    ...(outcome === 'faulty' ? { errors } : {}),
  }
}
