/**
 * The reference for creating orders: durable transactions that write copies of the rows of an order. The arguments are
 * the connection string, the id of the order, the seconds and the number of connections. Prints the transactions per
 * second, and what one takes, as JSON.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { quantile, repeat } from '../lib/load.ts'

/**
 * The tables with rows of an order, each with the condition that finds these rows. A table comes after the tables that
 * its foreign keys reference.
 */
const TABLES = [
  ['orders', 'id = $1'],
  ['order_items', 'order_id = $1'],
  ['payments', 'order_id = $1'],
  ['order_timeline', 'order_id = $1'],
  ['events', 'subject = $1'],
  // The copies of earlier rounds have the same body.
  ['idempotency_keys', `body ->> 'id' = $1 limit 1`],
] as const

/** The columns that must have a unique value in each row. References to the order get the id of its copy. */
const UNIQUE_COLUMNS = ['id', 'number', 'key']

/** The copies have an event about which the service sends no mail: mails would delay the orders they are compared with. */
const MAILED_EVENT = 'order.created'
const SILENT_EVENT = 'order.released'

/** The columns that the database fills. */
const GENERATED_COLUMNS = ['transaction_id', 'position']

interface Row {
  table: string
  /** The values as text, in the form in which PostgreSQL sent them. */
  values: ReadonlyMap<string, string | null>
}

/** Returns a function that writes one copy with new ids. It uses prepared statements and reads nothing. */
async function createWriter(pool: pg.Pool, orderId: string): Promise<() => Promise<void>> {
  const rows = (await Promise.all(TABLES.map(([table, where]) => readRows(table, where, orderId, pool)))).flat()
  const statements = rows.map((row, index) => ({ row, name: `bare ${index}`, text: insertText(row) }))
  return async () => {
    const copyId = randomId(orderId)
    const client = await pool.connect()
    try {
      await client.query('begin')
      for (const { row, ...statement } of statements) {
        await client.query({ ...statement, values: valuesOf(row, orderId, copyId) })
      }
      await client.query('commit')
    } finally {
      client.release()
    }
  }
}

async function readRows(table: string, where: string, orderId: string, pool: pg.Pool): Promise<Row[]> {
  const types = { getTypeParser: () => (text: unknown) => text }
  const { rows, fields } = await pool.query({ text: `select * from ${table} where ${where}`, values: [orderId], types })
  if (rows.length === 0) throw new Error(`the order has no rows in ${table}`)
  const isGenerated = (name: string) => table === 'events' && GENERATED_COLUMNS.includes(name)
  const names = fields.map(({ name }) => name).filter((name) => !isGenerated(name))
  return rows.map((row) => ({ table, values: new Map(names.map((name) => [name, row[name]])) }))
}

function insertText({ table, values }: Row): string {
  const names = [...values.keys()]
  return `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`
}

function valuesOf({ values }: Row, orderId: string, copyId: string): (string | null)[] {
  return [...values].map(([name, value]) => {
    if (value === orderId) return copyId
    if (value === MAILED_EVENT) return SILENT_EVENT
    return value !== null && UNIQUE_COLUMNS.includes(name) ? randomId(value) : value
  })
}

/** Makes an id as long as the original. As in the service, ids ascend with time, so that indexes grow at their end. */
function randomId(original: string): string {
  const random = randomUUID().replaceAll('-', '')
  const text = original.length < random.length - 8 ? random : Date.now().toString(36) + random
  return text.slice(0, original.length).padEnd(original.length, '0')
}

const [connectionString = '', id = '', seconds, concurrency] = process.argv.slice(2)
const connections = Number(concurrency)
const pool = new pg.Pool({ connectionString, max: connections })
const write = await createWriter(pool, id)
const { perSecond, sortedMs } = await repeat(write, { concurrency: connections, seconds: Number(seconds) })
await pool.end()
console.log(JSON.stringify({ perSecond, p50Ms: quantile(sortedMs, 0.5), p99Ms: quantile(sortedMs, 0.99) }))
