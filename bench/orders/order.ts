import { join } from 'node:path'
import { call } from '../../scripts/lib/client.ts'
import { compare } from '../generator/compare.ts'
import { generate } from '../generator/generator.ts'
import { runScript } from '../lib/child.ts'
import type { Subject } from '../lib/subject.ts'
import { SHIPPING_ADDRESS } from './basket.ts'
import { finalizedPostcards } from './finalized.ts'

const SECONDS = 3
/** The number of concurrent requests, which is also the number of database connections of the service. */
const CONNECTIONS = 10
const DESIGNS = 20

/**
 * Compares creating orders of one item, each with an idempotency key, with a transaction that only writes the same
 * rows.
 */
export async function benchOrder(subject: Subject): Promise<void> {
  const { base, token, connectionString, service, postgresPid } = subject
  const designIds = await finalizedPostcards(subject, DESIGNS)
  const orders = designIds.map((designId) => ({
    items: [{ designId, quantity: 100 }],
    shippingAddress: SHIPPING_ADDRESS,
  }))
  const first = await call('POST', `${base}/orders`, {
    token,
    json: orders[0],
    headers: { 'idempotency-key': 'the-first-order' },
  })
  const script = join(import.meta.dirname, 'bare-order.ts')
  const args = [connectionString, first.body.id, String(SECONDS), String(CONNECTIONS)]
  const plan = {
    url: `${base}/orders`,
    connections: CONNECTIONS,
    seconds: SECONDS,
    headers: { authorization: `Bearer ${token}` },
    post: { bodies: orders.map((order) => JSON.stringify(order)), hasKeys: true },
  }
  await compare({
    figure: 'create an order',
    unit: `orders/s at ${CONNECTIONS} connections`,
    aim: 0.6,
    ours: { pid: service.child.pid, run: () => generate(plan) },
    limit: { pid: undefined, run: async () => JSON.parse(await runScript(script, args)) },
    postgresPid,
  })
}
