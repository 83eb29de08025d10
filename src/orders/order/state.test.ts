import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  availableActions,
  ITEM_FILES_STATUSES,
  nextItemFilesStatus,
  nextOrderStatus,
  nextPaymentStatus,
  ORDER_STATUSES,
  ORDER_TRANSITIONS,
  type OrderEvent,
  type OrderState,
} from './state.ts'

const inState = (status: OrderState['status'], more: Partial<OrderState> = {}): OrderState => ({
  status,
  heldStatus: null,
  payment: { status: 'captured' },
  items: [],
  ...more,
})

test('an order is cancelled before its production only', () => {
  const cancellable = ORDER_STATUSES.filter((status) => nextOrderStatus(inState(status), 'cancel') !== undefined)
  assert.deepEqual(cancellable, ['awaiting_payment', 'confirmed'])
})

test('a release leads back to where the order was held', () => {
  for (const heldStatus of ['confirmed', 'in_production'] as const) {
    assert.equal(nextOrderStatus(inState('on_hold', { heldStatus }), 'release'), heldStatus)
  }
})

test('every state but the first is reached by an event, and the last ones are left by none', () => {
  const targets = new Set<string>(Object.values(ORDER_TRANSITIONS).flatMap((row) => Object.values(row)))
  assert.deepEqual(
    ORDER_STATUSES.filter((status) => !targets.has(status)),
    ['awaiting_payment'],
  )
  for (const end of ['delivered', 'cancelled'] as const) assert.deepEqual(ORDER_TRANSITIONS[end], {})
})

test('money that never came is not given back', () => {
  assert.equal(nextPaymentStatus('pending', 'refund_part'), undefined)
  assert.equal(nextPaymentStatus('failed', 'refund_rest'), undefined)
  assert.equal(nextPaymentStatus('failed', 'retry', 'authorize', 'capture', 'refund_rest'), 'refunded')
})

test('what an order says can be done to it is what the tables allow', () => {
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

test('customers are shown what customers can do', () => {
  const order = inState('awaiting_payment', { payment: { status: 'pending' } })
  assert.deepEqual(availableActions(order, { operator: false, onlinePayment: false }), [
    { action: 'pay', allowed: false, reason: 'Payments are arranged with the shop, which records them itself.' },
    { action: 'cancel', allowed: true },
  ])
})

test('files that are there are there for good: nothing fails them or draws them again', () => {
  const leads = (event: Parameters<typeof nextItemFilesStatus>[1]) =>
    ITEM_FILES_STATUSES.map((status) => nextItemFilesStatus({ data: null, personalization: { status } }, event))
  assert.deepEqual(leads('finish'), ['ready', undefined, undefined])
  assert.deepEqual(leads('give_up'), ['failed', undefined, undefined])
  assert.deepEqual(leads('retry'), ['pending', undefined, 'pending'])
  assert.equal(nextItemFilesStatus({ data: null, personalization: null }, 'retry'), undefined)
})
