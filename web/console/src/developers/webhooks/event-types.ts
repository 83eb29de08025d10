import type { EventType } from '@platen/client'

const TYPES: Readonly<Record<EventType, true>> = {
  'order.created': true,
  'order.confirmed': true,
  'order.on_hold': true,
  'order.released': true,
  'order.in_production': true,
  'order.partially_shipped': true,
  'order.shipped': true,
  'order.delivered': true,
  'order.cancelled': true,
  'order.address_changed': true,
  'payment.captured': true,
  'payment.failed': true,
  'payment.refunded': true,
  'shipment.created': true,
  'shipment.updated': true,
  'shipment.delivered': true,
  'shipment.returned': true,
  'design.finalized': true,
  'design.finalization_failed': true,
  'design.archived': true,
  'design.files_ready': true,
  'design.files_failed': true,
}

/** All event types, in the order of the form. A type of the API that is missing does not compile. */
export const EVENT_TYPES = Object.keys(TYPES) as readonly EventType[]
