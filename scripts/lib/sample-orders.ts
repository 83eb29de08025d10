import type pg from 'pg'
import { BATCH, HELPERS, PLAN, TOTALS } from './sample-orders-sql.ts'

export interface SampleOrders {
  orders: number
  /** The same seed and the same `until` result in the same rows. Rows of several seeds can be in one database. */
  seed: number
  /** Time of the newest order. The oldest is two years older. */
  until: Date
  /** Id of the user who gets a twentieth of the orders. Default: a customer that is generated. */
  customerId?: string
  onProgress?: (made: number) => void
}

/**
 * Number of orders in one transaction. It is large enough to make the time of the commit negligible, and small enough
 * to show progress.
 */
const BATCH_ORDERS = 20_000

const ORDERS_PER_DESIGN = 3
const ORDERS_PER_CUSTOMER = 8

/**
 * Fills the database like that of a shop that has been open for two years: a few customers have thousands of orders,
 * and nearly all orders are closed. It inserts orders with their customers, finalized designs, payments, shipments,
 * refunds and timelines, and the events of the last 30 days. The print files of the orders do not exist.
 *
 * @throws if the catalogue is empty
 */
export async function addSampleOrders(pool: pg.Pool, options: SampleOrders): Promise<void> {
  const client = await pool.connect()
  try {
    // The statements that create the designs take minutes, so they must have no timeout.
    await client.query('set statement_timeout = 0')
    const { orders, seed, until, customerId = '' } = options
    const designs = Math.ceil(orders / ORDERS_PER_DESIGN)
    const customers = Math.ceil(orders / ORDERS_PER_CUSTOMER)
    await client.query(HELPERS({ seed, orders, designs, customers, until, greatestCustomer: customerId }))
    await client.query(PLAN)
    const products = await client.query('select from goods')
    if (products.rowCount === 0) throw new Error('The database contains no products. Start the service once.')
    for (const statement of TOTALS) await client.query(statement)
    // Without this statement, the planner would assume that the tables are empty and choose sequential scans.
    await client.query('analyze')
    for (let from = 0; from < orders; from += BATCH_ORDERS) {
      const to = Math.min(from + BATCH_ORDERS, orders)
      await client.query('begin')
      for (const statement of BATCH) await client.query(statement, statement.includes('$1') ? [from, to] : [])
      await client.query('commit')
      if (from === 0) await client.query('analyze')
      options.onProgress?.(to)
    }
    await client.query('discard temp')
    await client.query('analyze')
  } finally {
    // Destroying the connection rolls a failed transaction back.
    client.release(true)
  }
}
