import { type Emit, emit } from '../platform/outbox/index.ts'

/** The events of orders, their payments, their shipments and the print files of their items. */
export const ORDER_EVENTS = [
  'order.created',
  'order.confirmed',
  'order.on_hold',
  'order.released',
  'order.in_production',
  'order.partially_shipped',
  'order.shipped',
  'order.delivered',
  'order.cancelled',
  'order.address_changed',
  'payment.captured',
  'payment.failed',
  'payment.refunded',
  'shipment.created',
  'shipment.updated',
  'shipment.delivered',
  'shipment.returned',
  // Of order items with texts of their own, whose print files are drawn after the order. The order is the subject.
  'design.files_ready',
  'design.files_failed',
] as const

export type OrderEventType = (typeof ORDER_EVENTS)[number]

/** Types of timeline entries: the events, and changes without an event of their type. */
export const TIMELINE_TYPES = [
  ...ORDER_EVENTS,
  'order.price_agreed',
  'order.hold_answered',
  'payment.authorization_lost',
  'payment.disputed',
  'payment.dispute_won',
  'payment.dispute_lost',
  'payment.dispute_closed',
  'payment.given_up',
  'payment.refund_failed',
  'payment.refund_returned',
  'payment.returned_late',
] as const

export type TimelineType = (typeof TIMELINE_TYPES)[number]

export const emitOrderEvent: Emit<OrderEventType> = emit
