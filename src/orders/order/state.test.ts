import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  availableActions,
  ITEM_FILES_STATUSES,
  nextItemFilesStatus,
  nextOrderStatus,
  nextPaymentStatus,
  ORDER_ACTION_NAMES,
  ORDER_STATUSES,
  ORDER_TRANSITIONS,
  type OrderEvent,
  type OrderState,
  PAYMENT_TRANSITIONS,
  refundable,
  refusalOf,
  SHIPMENT_TRANSITIONS,
  type ShipmentStatus,
} from './state.ts'

const paid = { status: 'captured' as const, capturedAmount: 100, refundedAmount: 0, refunds: [] }

const inState = (status: OrderState['status'], more: Partial<OrderState> = {}): OrderState => ({
  status,
  heldStatus: null,
  hold: null,
  payment: paid,
  items: [],
  shipments: [],
  ...more,
})

/** Lists the transitions of a table as `from>to`. */
const stepsOf = (table: Record<string, Record<string, string>>) =>
  new Set(Object.entries(table).flatMap(([from, row]) => Object.values(row).map((to) => `${from}>${to}`)))

const steps = (text: string) => new Set(text.split(/\s+/))

test('the tables allow these transitions only', () => {
  assert.deepEqual(
    stepsOf(ORDER_TRANSITIONS),
    steps(`awaiting_payment>confirmed awaiting_payment>cancelled confirmed>in_production confirmed>on_hold
      confirmed>cancelled in_production>partially_shipped in_production>shipped in_production>on_hold
      partially_shipped>partially_shipped partially_shipped>shipped shipped>delivered on_hold>where_it_was_held`),
  )
  assert.deepEqual(
    stepsOf(PAYMENT_TRANSITIONS),
    steps(`pending>authorized pending>failed authorized>captured authorized>failed captured>partially_refunded captured>refunded
      partially_refunded>partially_refunded partially_refunded>refunded failed>pending`),
  )
  assert.deepEqual(stepsOf(SHIPMENT_TRANSITIONS), steps('shipped>delivered shipped>returned delivered>returned'))
})

test('an order can be cancelled before production only', () => {
  const cancellable = ORDER_STATUSES.filter((status) => nextOrderStatus(inState(status), 'cancel') !== undefined)
  assert.deepEqual(cancellable, ['awaiting_payment', 'confirmed'])
})

test('a release returns to the status in which the order was held', () => {
  for (const heldStatus of ['confirmed', 'in_production'] as const) {
    assert.equal(nextOrderStatus(inState('on_hold', { heldStatus }), 'release'), heldStatus)
  }
})

test('every state except the first is reachable, and final states have no transitions', () => {
  const targets = new Set<string>(Object.values(ORDER_TRANSITIONS).flatMap((row) => Object.values(row)))
  assert.deepEqual(
    ORDER_STATUSES.filter((status) => !targets.has(status)),
    ['awaiting_payment'],
  )
  for (const end of ['delivered', 'cancelled'] as const) assert.deepEqual(ORDER_TRANSITIONS[end], {})
})

test('a payment that was not captured cannot be refunded', () => {
  assert.equal(nextPaymentStatus('pending', 'refund_part'), undefined)
  assert.equal(nextPaymentStatus('failed', 'refund_rest'), undefined)
  assert.equal(nextPaymentStatus('failed', 'retry', 'authorize', 'capture', 'refund_rest'), 'refunded')
})

test('a pending refund reduces the refundable amount', () => {
  const refunds = [
    { status: 'pending' as const, amount: 60 },
    { status: 'failed' as const, amount: 100 },
  ]
  const promised = inState('confirmed', { payment: { ...paid, refunds } })
  assert.deepEqual([refundable(promised), refusalOf(promised, 'refund')], [40, undefined])
  const rest = inState('confirmed', { payment: { ...paid, refundedAmount: 40, refunds } })
  assert.deepEqual(
    [refundable(rest), refusalOf(rest, 'refund')],
    [0, 'Refunds already cover the whole captured amount.'],
  )
})

test('available actions match the tables', () => {
  const events: Record<string, OrderEvent> = {
    cancel: 'cancel',
    hold: 'hold',
    release: 'release',
    start_production: 'start_production',
    ship: 'ship_rest',
  }
  for (const status of ORDER_STATUSES) {
    const order = inState(status, { heldStatus: status === 'on_hold' ? 'confirmed' : null })
    for (const { action, allowed, reason } of availableActions(order, { operator: true, onlinePayment: true })) {
      assert.equal(reason === undefined, allowed)
      const event = events[action]
      if (event !== undefined) assert.equal(allowed, nextOrderStatus(order, event) !== undefined, `${status} ${action}`)
    }
  }
})

test('a shipment in transit allows delivery and return, a delivered one allows return', () => {
  const offered = (...statuses: ShipmentStatus[]) => {
    const order = inState('shipped', { shipments: statuses.map((status) => ({ status })) })
    return (['deliver', 'return'] as const).map((action) => refusalOf(order, action))
  }
  assert.deepEqual(offered('shipped'), [undefined, undefined])
  assert.deepEqual(offered('returned', 'shipped'), [undefined, undefined])
  assert.deepEqual(offered('delivered', 'returned'), ['No shipment of the order is shipped.', undefined])
  const none = ['No shipment of the order is shipped.', 'No shipment of the order is shipped or delivered.']
  assert.deepEqual([offered(), offered('returned')], [none, none])
})

test('failed and missing print files offer a retry until the order has ended', () => {
  const data = { name: 'Ada' }
  const refusal = (item: OrderState['items'][number], status: OrderState['status'] = 'confirmed') =>
    refusalOf(inState(status, { items: [item] }), 'retry_files')
  assert.equal(refusal({ data, personalization: { status: 'failed' } }), undefined)
  assert.equal(refusal({ data, personalization: null }), undefined)
  for (const status of ['pending', 'ready'] as const) {
    assert.equal(refusal({ data, personalization: { status } }), 'No item has failed print files.')
  }
  assert.equal(refusal({ data, personalization: { status: 'failed' } }, 'cancelled'), 'The order is cancelled.')
})

test('customers see the actions of customers', () => {
  const order = inState('awaiting_payment', { payment: { ...paid, status: 'pending', capturedAmount: 0 } })
  assert.deepEqual(availableActions(order, { operator: false, onlinePayment: false }), [
    {
      action: 'pay',
      allowed: false,
      reason: 'Online payment is not available. Arrange the payment with the shop, which records it.',
    },
    { action: 'cancel', allowed: true },
    {
      action: 'resolve_hold',
      allowed: false,
      reason: 'The order is awaiting_payment. This action is possible only while it is on_hold.',
    },
  ])
})

test('operators also see the actions of customers for their own orders', () => {
  const order = inState('awaiting_payment', { payment: { ...paid, status: 'pending', capturedAmount: 0 } })
  const actions = (owner: boolean) =>
    availableActions(order, { operator: true, owner, onlinePayment: true }).map(({ action }) => action)
  assert.deepEqual(actions(true), ORDER_ACTION_NAMES)
  assert.deepEqual(
    actions(true).filter((action) => !actions(false).includes(action)),
    ['pay', 'resolve_hold'],
  )
})

test('ready files neither fail nor can be retried', () => {
  const leads = (event: Parameters<typeof nextItemFilesStatus>[1]) =>
    ITEM_FILES_STATUSES.map((status) => nextItemFilesStatus({ personalization: { status } }, event))
  assert.deepEqual(leads('finish'), ['ready', undefined, undefined])
  assert.deepEqual(leads('fail'), ['failed', undefined, undefined])
  assert.deepEqual(leads('retry'), ['pending', undefined, 'pending'])
  assert.equal(nextItemFilesStatus({ personalization: null }, 'retry'), undefined)
})
