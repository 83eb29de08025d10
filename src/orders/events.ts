import { type Emit, emit } from '../platform/outbox/index.ts'

/** The events of orders, their payments and their shipments. */
export const ORDER_EVENTS = [
  'order.created',
  'order.confirmed',
  'order.on_hold',
  'order.in_production',
  'order.shipped',
  'order.delivered',
  'order.cancelled',
  'payment.captured',
  'payment.failed',
  'payment.refunded',
  'shipment.created',
  'shipment.delivered',
  'shipment.returned',
] as const

export type OrderEventType = (typeof ORDER_EVENTS)[number]

export const emitOrderEvent: Emit<OrderEventType> = emit
