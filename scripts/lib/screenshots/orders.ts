import { call } from '../client.ts'
import type { OrderName } from './scene.ts'

const ADDRESS = { name: 'Ada Example', line1: 'Lindenstr. 12', postalCode: '10969', city: 'Berlin', country: 'DE' }

/** The steps of the simulator by which an order gets into its state. */
const STEPS: Readonly<Record<OrderName, readonly string[]>> = {
  unpaid: [],
  paid: ['pay'],
  held: ['pay', 'hold'],
  asked: ['pay'],
  delayed: ['pay', 'start_production', 'delay'],
  parts: ['pay', 'start_production', 'ship_part'],
  shipped: ['pay', 'start_production', 'ship'],
  delivered: ['pay', 'start_production', 'ship', 'deliver'],
  cancelled: ['pay'],
}

interface Input {
  base: string
  token: string
  operatorToken: string
  designId: string
}

const QUESTION = 'The photo is dark. Shall we print it as it is?'

/** Creates an order in each state. */
export async function ordersOf(input: Input): Promise<Record<OrderName, string>> {
  const ids: [string, string][] = []
  for (const [name, steps] of Object.entries(STEPS)) ids.push([name, await makeOrder(input, steps)])
  const orders = Object.fromEntries(ids) as Record<OrderName, string>
  await call('POST', `${input.base}/orders/${orders.cancelled}/cancel`, { token: input.token, json: {} })
  await call('POST', `${input.base}/orders/${orders.asked}/hold`, {
    token: input.operatorToken,
    json: { reason: QUESTION, resolution: 'answer' },
  })
  return orders
}

async function makeOrder({ base, token, designId }: Input, steps: readonly string[]): Promise<string> {
  const items = [{ designId, quantity: 100 }]
  const json = { items, shippingMethod: 'standard', shippingAddress: ADDRESS }
  const { body: order } = await call<{ id: string }>('POST', `${base}/orders`, { token, json })
  for (const step of steps) await call('POST', `${base}/dev/orders/${order.id}/advance`, { token, json: { step } })
  return order.id
}
