import type { Static, TSchema } from 'typebox'
import { findAccountId } from '../auth/index.ts'
import type { SheetDeps } from '../designs/index.ts'
import { minorDigits } from '../platform/currencies.ts'
import type { Trx } from '../platform/db/index.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import { validatorCompiler } from '../platform/http/input/validation.ts'
import { toProblem } from '../platform/http/responses/errors.ts'
import { cancelOrder } from './cancellation/cancel-order.ts'
import { presentOrder } from './order/bodies/present-orders.ts'
import { CancelBody } from './order/bodies/requests.ts'
import type { OrderBody } from './order/bodies/schemas.ts'
import { type ActionContext, contextFor } from './order/change/action-context.ts'
import { requireOrder } from './order/change/change-order.ts'
import { normalizeOrderNumber } from './order/order-number.ts'
import { listOrders, type Order } from './order/store.ts'
import type { PaymentDeps } from './payments/providers/providers.ts'
import { recordPayment } from './payments/record-payment.ts'
import { executeRefund, executeReserved } from './payments/refunds/execute-refunds.ts'
import { refundOrder } from './payments/refunds/refund-order.ts'
import { RecordPaymentBody, RefundRequest } from './payments/schemas.ts'
import { printPickList } from './pick-list/print-pick-lists.ts'
import { orderProblems } from './problems.ts'
import { advanceOrder } from './production/advance-order.ts'
import { advanceShipment } from './production/advance-shipment.ts'
import { readSelection } from './production/queue/read-selection.ts'
import { QueueQuery } from './production/queue/schemas.ts'
import { HoldBody, NewShipmentBody, ReturnBody } from './production/schemas.ts'
import { shipOrder } from './production/ship-order.ts'

export type OperatorActionsDeps = PaymentDeps

/**
 * Actions of operators for the command line. They follow the rules of the API and throw its problems. The timeline
 * shows an operator without an account.
 */
export interface OperatorActions {
  /** Accepts an order number in any accepted spelling, or an id. */
  find(name: string): Promise<Order>
  list(query: Partial<QueueQuery>): Promise<Order[]>
  present(order: Order): Promise<OrderBody>
  recordPayment(order: Order, request: { reference?: string }): Promise<Order>
  start(order: Order): Promise<Order>
  hold(order: Order, request: { reason?: string }): Promise<Order>
  release(order: Order): Promise<Order>
  /** Ships all unshipped items in one parcel. */
  ship(order: Order, request: { carrier?: string; trackingNumber?: string; trackingUrl?: string }): Promise<Order>
  /** @param request without an id, the action applies to the only shipment that is in transit */
  deliver(order: Order, request: { shipmentId?: string }): Promise<Order>
  /** @param request without an id, the action applies to the only shipment that has not come back */
  returnShipment(order: Order, request: { shipmentId?: string; reason?: string }): Promise<Order>
  /**
   * @param request amount in the main unit of the currency, such as 12.50; without an amount, the service refunds the
   *   refundable amount
   */
  refund(order: Order, request: { amount?: string; reason?: string }): Promise<Order>
  cancel(order: Order, request: { reason?: string }): Promise<Order>
  printPickList(sheets: SheetDeps, order: Order): Promise<Buffer>
}

export function createOperatorActions(deps: OperatorActionsDeps): OperatorActions {
  const { db, clock } = deps

  const commit = <T>(work: (trx: Trx, context: ActionContext) => Promise<T>): Promise<T> =>
    db.transaction().execute((trx) => work(trx, contextFor(deps, { by: 'operator', userId: null })))
  const act = async (
    order: Order,
    work: (trx: Trx, context: ActionContext, key: { id: string }) => Promise<unknown>,
  ) => {
    await commit((trx, context) => work(trx, context, { id: order.id }))
    return requireOrder(db, { id: order.id })
  }
  const advance = (order: Order, event: 'deliver' | 'return', shipmentId: string, reason?: string) =>
    act(order, (trx, context, key) => advanceShipment(trx, context, { ...key, shipmentId }, event, reason))

  return {
    find: async (name) => {
      const number = normalizeOrderNumber(name)
      if (number === undefined) return requireOrder(db, { id: name })
      const [order] = await listOrders(db, { number, after: undefined, limit: 1 })
      if (order === undefined) throw orderProblems.order_not_found()
      return order
    },
    list: async (query) => {
      const { limit, ...selection } = checkBody(QueueQuery, { limit: 20, ...query })
      const narrowed = await readSelection(db, selection, {
        findAccount: (email) => findAccountId(db, email),
        now: clock.now(),
      })
      return listOrders(db, { ...narrowed, after: undefined, limit: limit - 1 })
    },
    present: (order) => presentOrder(db, order, { operator: true, onlinePayment: deps.provider !== undefined }),
    recordPayment: (order, request) => {
      const body = checkBody(RecordPaymentBody, { method: 'manual', ...request })
      return act(order, (trx, context, key) => recordPayment(trx, context, key, body))
    },
    start: (order) => act(order, (trx, context, key) => advanceOrder(trx, context, key, 'start_production')),
    hold: (order, request) => {
      const { reason, resolution } = checkBody(HoldBody, request)
      return act(order, (trx, context, key) => advanceOrder(trx, context, key, 'hold', reason, resolution))
    },
    release: (order) => act(order, (trx, context, key) => advanceOrder(trx, context, key, 'release')),
    ship: (order, request) => {
      const body = checkBody(NewShipmentBody, request)
      return act(order, (trx, context, key) => shipOrder(trx, context, key, body))
    },
    deliver: async (order, { shipmentId }) =>
      advance(order, 'deliver', shipmentId ?? requireSingleShipment(order, ({ status }) => status === 'shipped')),
    returnShipment: async (order, { shipmentId, reason }) => {
      const body = checkBody(ReturnBody, reason === undefined ? {} : { reason })
      const id = shipmentId ?? requireSingleShipment(order, ({ status }) => status !== 'returned')
      return advance(order, 'return', id, body?.reason)
    },
    refund: async (order, { amount, reason }) => {
      const money = amount === undefined ? {} : { amount: readMoney(amount, order.amounts.currency) }
      const body = checkBody(RefundRequest, { ...money, ...(reason === undefined ? {} : { reason }) })
      const reserved = await commit((trx, context) => refundOrder(trx, context, { id: order.id }, body ?? {}, deps))
      await executeRefund(deps, reserved.order, reserved.refund)
      return requireOrder(db, { id: order.id })
    },
    cancel: async (order, request) => {
      const body = checkBody(CancelBody, request)
      return executeReserved(
        deps,
        await commit((trx, context) => cancelOrder(trx, context, { id: order.id }, body?.reason)),
      )
    },
    printPickList: (sheets, order) => printPickList(db, sheets, order, { now: clock.now() }),
  }
}

function requireSingleShipment(
  { shipments }: Order,
  isMeant: (shipment: Order['shipments'][number]) => boolean,
): string {
  const [first, ...others] = shipments.filter(isMeant)
  if (first === undefined) throw orderProblems.shipment_not_found('The order has no shipment in a matching status.')
  if (others.length === 0) return first.id
  const ids = [first, ...others].map(({ id }) => id).join(', ')
  throw orderProblems.shipment_not_found(`Several shipments match. Name one with --shipment: ${ids}.`)
}

/**
 * Converts an amount such as 12.50 to minor units.
 *
 * @throws `validation_failed`
 */
function readMoney(text: string, currency: string): { amount: number; currency: string } {
  const digits = minorDigits(currency)
  const [, whole, fraction = ''] = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text) ?? []
  if (whole === undefined || fraction.length > digits) {
    const detail = `Expected an amount of ${currency} with at most ${digits} decimals, such as ${(12.5).toFixed(digits)}.`
    throw httpProblems.validation_failed({ detail, errors: [{ code: 'wrong_format', pointer: '/amount', detail }] })
  }
  return { amount: Number(`${whole}${fraction.padEnd(digits, '0')}`), currency }
}

/**
 * Validates input of the command line against the schema of the request body that it stands for.
 *
 * @throws `validation_failed`
 */
function checkBody<T extends TSchema>(schema: T, value: unknown): Static<T> {
  const validate = validatorCompiler({ schema, method: '', url: '', httpPart: 'body' }) as unknown as Validate
  if (validate(value)) return value as Static<T>
  throw toProblem({ validation: validate.errors, validationContext: 'body' })
}

type Validate = ((value: unknown) => boolean) & { errors?: unknown }
