import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { bareOrderWriter } from './lib/bare-order.ts'
import { SHIPPING_ADDRESS } from './lib/basket.ts'
import { finalizedPostcards } from './lib/finalized.ts'
import { median, quantile, repeat } from './lib/load.ts'
import { post } from './lib/post.ts'
import { report } from './lib/report.ts'
import type { Subject } from './lib/subject.ts'

const ROUNDS = 5
const SECONDS = 4
/** The number of concurrent requests, which is also the number of database connections of the service. */
const CONCURRENCY = 10
const DESIGNS = 20

/**
 * Compares creating orders of one item, each with an idempotency key, with a transaction that only writes the same
 * rows.
 */
export async function benchOrder(subject: Subject): Promise<void> {
  const { base, token, connectionString } = subject
  const designIds = await finalizedPostcards(subject, DESIGNS)
  let made = 0
  const order = () => {
    const items = [{ designId: designIds[made % DESIGNS], quantity: 100 }]
    made += 1
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() }
    return post<{ id: string }>(`${base}/orders`, { items, shippingAddress: SHIPPING_ADDRESS }, headers)
  }
  const pool = new pg.Pool({ connectionString, max: CONCURRENCY })
  const bare = await bareOrderWriter(pool, (await order()).id)
  const options = { concurrency: CONCURRENCY, seconds: SECONDS }
  await repeat(order, options)
  await repeat(bare, options)
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ bare: await repeat(bare, options), ours: await repeat(order, options) })
  }
  await pool.end()
  const ratio = median(rounds.map((round) => round.ours.perSecond / round.bare.perSecond))
  report({
    figure: 'create an order',
    value: median(rounds.map((round) => round.ours.perSecond)),
    limit: median(rounds.map((round) => round.bare.perSecond)),
    unit: `orders/s at ${CONCURRENCY} connections`,
    ratio,
    aim: 'at least 0.4',
    reached: ratio >= 0.4,
    p50Ms: median(rounds.map((round) => quantile(round.ours.sortedMs, 0.5))),
    p99Ms: median(rounds.map((round) => quantile(round.ours.sortedMs, 0.99))),
    limitP50Ms: median(rounds.map((round) => quantile(round.bare.sortedMs, 0.5))),
    limitP99Ms: median(rounds.map((round) => quantile(round.bare.sortedMs, 0.99))),
  })
}
