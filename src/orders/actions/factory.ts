import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { TestResponse } from '../../../test/harness.ts'
import { ADDRESS, type Person, type Shop, startShop } from '../factory.ts'

export type Call = Parameters<Shop['request']>
type Role = 'customer' | 'operator'

/** A customer and an operator who act on the same orders. */
export interface Cast {
  shop: Shop
  customer: Person
  operator: Person
  /** Finalized design that the customer orders. */
  designId: string
}

export async function startCast(t: TestContext): Promise<Cast> {
  const shop = await startShop(t)
  const [customer, operator] = [await shop.signUp(), await shop.signUp('operator')]
  return { shop, customer, operator, designId: await shop.finalizedDesign({ ownerId: customer.userId }) }
}

const hold = (resolution: string): [Role, string, object] => [
  'operator',
  'hold',
  { reason: 'Is this right?', resolution },
]

/** Role, path and body of each action. `{item}`, `{first}` and `{second}` are replaced by ids of the order. */
const ACTIONS = {
  pay: ['customer', 'pay', { token: 'test_ok' }],
  pay_in_vain: ['customer', 'pay', { token: 'test_declined' }],
  cancel: ['customer', 'cancel'],
  cancel_by_operator: ['operator', 'cancel', { reason: 'Sold out.' }],
  confirm: ['customer', 'resolve-hold'],
  correct_address: ['customer', 'resolve-hold', { shippingAddress: { ...ADDRESS, line2: 'Hinterhaus' } }],
  answer: ['customer', 'resolve-hold', { message: 'It is.' }],
  record_payment: ['operator', 'payments', { method: 'manual' }],
  hold: hold('confirmation'),
  hold_for_address: hold('address'),
  hold_for_answer: hold('answer'),
  hold_by_itself: hold('none'),
  release: ['operator', 'release'],
  start_production: ['operator', 'start-production'],
  ship: ['operator', 'shipments', { carrier: 'DHL' }],
  ship_one: ['operator', 'shipments', { carrier: 'DHL', items: [{ itemId: '{item}', quantity: 1 }] }],
  refund: ['operator', 'refunds'],
  refund_some: ['operator', 'refunds', { amount: { amount: 100, currency: 'EUR' } }],
  deliver_first: ['operator', 'shipments/{first}/deliver'],
  deliver_second: ['operator', 'shipments/{second}/deliver'],
  return_first: ['operator', 'shipments/{first}/return', { reason: 'The recipient was absent.' }],
  return_second: ['operator', 'shipments/{second}/return'],
  retry_files: ['operator', 'items/{item}/files/retry'],
} as const satisfies Record<string, readonly [Role, string, object?]>

export type Action = keyof typeof ACTIONS
export const ACTION_NAMES = Object.keys(ACTIONS) as Action[]

/** Creates an order of two pieces and applies actions to it. */
export async function makeOrder({ shop, customer, operator, designId }: Cast, before: readonly Action[] = []) {
  const basket = { items: [{ designId, quantity: 2 }], shippingAddress: ADDRESS }
  const { body: order } = await shop.request('POST', '/orders', { token: customer.token, body: basket })
  const path = `/orders/${order.id}`
  const ids: Record<string, string> = { item: order.items[0].id, first: 'shp_none', second: 'shp_none' }
  const filledIn = (text: string) => text.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? name)
  const tokens = { customer: customer.token, operator: operator.token }

  const callOf = (action: Action): Call => {
    const [role, name, body]: readonly [Role, string, object?] = ACTIONS[action]
    const options = body === undefined ? {} : { body: JSON.parse(filledIn(JSON.stringify(body))) }
    return ['POST', `${path}/${filledIn(name)}`, { token: tokens[role], ...options }]
  }
  const act = async (action: Action): Promise<TestResponse> => {
    const answer = await shop.request(...callOf(action))
    if (action.startsWith('ship') && answer.status === 201) {
      ids[ids['first'] === 'shp_none' ? 'first' : 'second'] = answer.body.id
    }
    return answer
  }
  for (const action of before) {
    const { status, text } = await act(action)
    assert.ok(status < 300 || action === 'pay_in_vain', `${action}: ${text}`)
  }
  return {
    id: order.id as string,
    callOf,
    act,
    read: async (role: Role = 'customer') => (await shop.request('GET', path, { token: tokens[role] })).body,
    events: () =>
      // The API withholds events while any transaction of the server is open, and other tests run on the same server.
      shop.db
        .selectFrom('events')
        .select(['type', 'sequence', 'data'])
        .where('subject', '=', order.id)
        .orderBy('position')
        .execute(),
  }
}
