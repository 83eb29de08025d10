import type pg from 'pg'
import { BATCH, HELPERS, PLAN, TOTALS } from './sample-orders-sql.ts'

export interface SampleOrders {
  orders: number
  /** The same seed and `until` make the same rows; another seed's can stand beside them. */
  seed: number
  /** When the newest was ordered. The oldest is two years older. */
  until: Date
  /** Id of a user who is the shop's greatest customer, with a twentieth of the orders; otherwise one is made up. */
  customerId?: string
  onProgress?: (made: number) => void
}

/** Orders of one transaction: long enough that its commit does not count, short enough to be worth showing progress. */
const BATCH_ORDERS = 20_000

/** An order of a design costs a row of it: each is ordered three times on average. */
const ORDERS_PER_DESIGN = 3
const ORDERS_PER_CUSTOMER = 8

/**
 * Fills the database with orders and what belongs to them: customers, finalized designs, payments, shipments, refunds,
 * timelines, and the events of the last 30 days. Customers are few with thousands of orders and many with few; nearly all
 * orders have ended, as in a shop that has been open for two years. The print files that they name do not exist.
 *
 * @throws when the catalogue is empty
 */
export async function addSampleOrders(pool: pg.Pool, options: SampleOrders): Promise<void> {
  const client = await pool.connect()
  try {
    // The statements that make all designs take minutes.
    await client.query('set statement_timeout = 0')
    const { orders, seed, until, customerId = '' } = options
    const designs = Math.ceil(orders / ORDERS_PER_DESIGN)
    const customers = Math.ceil(orders / ORDERS_PER_CUSTOMER)
    await client.query(HELPERS({ seed, orders, designs, customers, until, greatestCustomer: customerId }))
    await client.query(PLAN)
    const products = await client.query('select from goods')
    if (products.rowCount === 0) throw new Error('There are no products yet: start the service once.')
    for (const statement of TOTALS) await client.query(statement)
    // The planner has seen the tables empty, and might go on reading them from end to end.
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
    // What is left of a transaction that failed goes with the connection.
    client.release(true)
  }
}
