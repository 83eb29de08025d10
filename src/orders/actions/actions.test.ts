import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { ACTION_NAMES, type Action, type Cast, makeOrder, startCast } from './factory.ts'

const PAID: Action[] = ['record_payment']
const STARTED: Action[] = [...PAID, 'start_production']

/**
 * Each row lists the actions taken so far, the state that they lead to, and the actions that each role can then take.
 * The service refuses all other actions.
 */
const STATES: { before: Action[]; status: string; customer: string; operator: string }[] = [
  { before: [], status: 'awaiting_payment', customer: 'pay cancel', operator: 'cancel record_payment' },
  { before: ['pay_in_vain'], status: 'awaiting_payment', customer: 'pay cancel', operator: 'cancel record_payment' },
  { before: PAID, status: 'confirmed', customer: 'cancel', operator: 'cancel hold start_production refund' },
  { before: ['pay', 'refund'], status: 'confirmed', customer: 'cancel', operator: 'cancel hold start_production' },
  { before: [...PAID, 'hold'], status: 'on_hold', customer: 'resolve_hold', operator: 'release refund' },
  { before: [...PAID, 'hold_by_itself'], status: 'on_hold', customer: '', operator: 'release refund' },
  { before: [...PAID, 'hold_for_answer', 'answer'], status: 'on_hold', customer: '', operator: 'release refund' },
  { before: STARTED, status: 'in_production', customer: '', operator: 'hold ship refund' },
  { before: [...STARTED, 'hold'], status: 'on_hold', customer: 'resolve_hold', operator: 'release refund' },
  {
    before: [...STARTED, 'ship_one'],
    status: 'partially_shipped',
    customer: '',
    operator: 'ship deliver return refund',
  },
  { before: [...STARTED, 'ship'], status: 'shipped', customer: '', operator: 'deliver return refund' },
  { before: [...STARTED, 'ship', 'return_first'], status: 'shipped', customer: '', operator: 'refund' },
  { before: [...STARTED, 'ship', 'deliver_first'], status: 'delivered', customer: '', operator: 'return refund' },
  { before: ['cancel'], status: 'cancelled', customer: '', operator: '' },
  { before: [...PAID, 'cancel'], status: 'cancelled', customer: '', operator: '' },
]

/** The request for each action that an order lists as available. */
const ASKED: Record<'customer' | 'operator', Record<string, Action>> = {
  customer: { pay: 'pay', cancel: 'cancel', resolve_hold: 'confirm' },
  operator: {
    cancel: 'cancel_by_operator',
    record_payment: 'record_payment',
    hold: 'hold',
    release: 'release',
    start_production: 'start_production',
    ship: 'ship',
    deliver: 'deliver_first',
    return: 'return_first',
    retry_files: 'retry_files',
    refund: 'refund',
  },
}

test('available actions succeed, and all others are refused with the stated reason', async (t) => {
  const cast = await startCast(t)
  const succeeded = new Set<string>()
  for (const { before, status, ...expected } of STATES) {
    await t.test(`${status} after ${before.join(', ') || 'nothing'}`, async () => {
      const { act, read, events } = await makeOrder(cast, before)
      const [told, first] = [await events(), await read()]
      for (const role of ['customer', 'operator'] as const) {
        const order = role === 'customer' ? first : await read(role)
        assert.equal(order.status, status)
        const names = Object.keys(ASKED[role])
        assert.deepEqual(order.availableActions.map((one: Available) => one.action).sort(), names.sort(), role)
        const allowed = order.availableActions.filter((one: Available) => one.allowed)
        assert.equal(allowed.map(({ action }: Available) => action).join(' '), expected[role], role)
        await refuseTheRest(order.availableActions, role, act, status)
        for (const { action } of allowed) {
          const name = `${action} by ${role} while ${status}`
          if (!succeeded.has(name)) await succeed(cast, before, ASKED[role][action])
          succeeded.add(name)
        }
      }
      assert.deepEqual([await events(), await read()], [told, first], 'a refused action leaves no trace')
    })
  }
})

interface Available {
  action: string
  allowed: boolean
  reason?: string
}

type Act = Awaited<ReturnType<typeof makeOrder>>['act']

async function refuseTheRest(available: Available[], role: 'customer' | 'operator', act: Act, status: string) {
  for (const { action, allowed, reason } of available) {
    const asked = ASKED[role][action]
    if (allowed || asked === undefined || (action === 'cancel' && status === 'cancelled')) continue
    const { status: answered, body } = await act(asked)
    // These requests name one shipment or item, so the state of that shipment or item decides whether they are allowed.
    if (['deliver', 'return', 'retry_files'].includes(action)) {
      assert.ok([404, 409].includes(answered), `${action} by ${role}`)
      continue
    }
    assert.deepEqual(
      [answered, body.code, body.orderStatus, body.detail],
      [409, 'order_action_refused', status, reason],
      `${action} by ${role}`,
    )
  }
}

async function succeed(cast: Cast, before: readonly Action[], action: Action | undefined): Promise<void> {
  if (action === undefined) throw new Error('an action is offered that this test does not know')
  const { act } = await makeOrder(cast, before)
  const { status, text } = await act(action)
  assert.ok(status < 300, `${action}: ${text}`)
}

/**
 * Status changes that one action can cause. A payment that is captured in one step passes `authorized` without a change
 * of its own.
 */
const STEPS = {
  order: `awaiting_payment>confirmed confirmed>in_production in_production>partially_shipped in_production>shipped
    partially_shipped>shipped shipped>delivered awaiting_payment>cancelled confirmed>cancelled confirmed>on_hold
    in_production>on_hold on_hold>confirmed on_hold>in_production`,
  payment: `pending>captured pending>failed failed>captured captured>partially_refunded captured>refunded
    partially_refunded>refunded`,
  shipment: 'shipped>delivered delivered>returned shipped>returned',
}

function assertStep(machine: keyof typeof STEPS, from: string, to: string): void {
  if (from !== to) assert.ok(STEPS[machine].split(/\s+/).includes(`${from}>${to}`), `${machine}: ${from} to ${to}`)
}

// biome-ignore lint/suspicious/noExplicitAny: an order as the API returns it
type OrderBody = any

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** Asserts what must be true of every order in every state. */
function assertSound(order: OrderBody): void {
  const { payment, shipments, timeline, status } = order
  assert.ok(payment.refundedAmount.amount <= payment.capturedAmount.amount)
  assert.ok([0, order.amounts.total.amount].includes(payment.capturedAmount.amount))
  const given = payment.refunds.filter(({ status = 'succeeded' }: OrderBody) => status === 'succeeded')
  assert.equal(sum(given.map((refund: OrderBody) => refund.amount.amount)), payment.refundedAmount.amount)
  const left = 2 - sum(shipments.flatMap((one: OrderBody) => one.items.map((item: OrderBody) => item.quantity)))
  const stage = left === 0 ? ['shipped', 'delivered'] : left === 1 ? ['partially_shipped'] : undefined
  if (stage === undefined) assert.ok(!/shipped|delivered/.test(status))
  else assert.ok(stage.includes(status), `${status} with ${left} of 2 left`)
  const settled = shipments.every((one: OrderBody) => one.status !== 'shipped')
  const arrived = shipments.some((one: OrderBody) => one.deliveredAt !== null)
  assert.equal(status === 'delivered', left === 0 && settled && arrived)
  assert.equal(order.hold !== undefined, status === 'on_hold')
  const times = timeline.map(({ at }: OrderBody) => at)
  assert.deepEqual(times, times.toSorted(), 'oldest first')
  assert.equal(order.updatedAt, times.at(-1))
  assert.doesNotMatch(JSON.stringify(timeline), /usr_|actor/)
}

test('any sequence of actions makes only transitions that the tables allow', async (t) => {
  const cast = await startCast(t)
  const usual: Action[] = ['record_payment', 'start_production', 'ship_one', 'deliver_first', 'ship', 'deliver_second']
  const anything = fc.array(fc.constantFrom(...ACTION_NAMES), { maxLength: 4 })
  // Surrounds the usual actions with arbitrary ones. Random actions alone would rarely reach a shipment.
  const walks = fc.tuple(...usual.map((action) => fc.tuple(anything, fc.constant(action))))
  await fc.assert(
    fc.asyncProperty(walks, async (parts) => {
      const { act, read, events } = await makeOrder(cast)
      let order: OrderBody = await read()
      for (const action of parts.flatMap(([others, one]) => [...others, one])) {
        cast.shop.service.clock.shift(1)
        const { status } = await act(action)
        const next: OrderBody = await read()
        if (status >= 300 && status !== 402) assert.deepEqual(next, order, `${action}, refused, changed something`)
        if (!isDeepStrictEqual({ ...next, revision: order.revision }, order)) {
          assert.ok(next.revision > order.revision, `${action} changed the order, but not its revision`)
        }
        assertStep('order', order.status, next.status)
        assertStep('payment', order.payment.status, next.payment.status)
        for (const { id, status: before } of order.shipments) {
          assertStep('shipment', before, next.shipments.find((one: OrderBody) => one.id === id)?.status)
        }
        assert.deepEqual(next.timeline.slice(0, order.timeline.length), order.timeline, 'what happened has happened')
        assertSound(next)
        order = next
      }
      const told = await events()
      assert.deepEqual(
        told.map(({ sequence }) => sequence),
        told.map((_, index) => index + 1),
      )
      assert.deepEqual(
        told.map(({ type }) => type),
        eventsOf(order.timeline),
      )
    }),
    { numRuns: 6 },
  )
})

/** The events that belong to the entries of a timeline. */
function eventsOf(timeline: OrderBody[]): string[] {
  let at = ''
  let heldAt = ''
  return timeline.flatMap(({ type }) => {
    if (type === 'order.on_hold') heldAt = at
    if (['order.confirmed', 'order.in_production'].includes(type)) at = type
    const others: Record<string, string[]> = {
      'order.hold_answered': ['order.on_hold'],
      'order.released': ['order.released', heldAt],
    }
    return others[type] ?? [type]
  })
}
