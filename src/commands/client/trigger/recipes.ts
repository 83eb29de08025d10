import type { DESIGN_EVENTS } from '../../../designs/events.ts'
import type { OrderEventType } from '../../../orders/events.ts'

/** All event types of the service. The compiler refuses a table of types in which one of them is missing. */
export type EventType = OrderEventType | (typeof DESIGN_EVENTS)[number]

/** What a design, its owner, the shop and the carrier do, one after another. */
export type Step =
  | 'finalize'
  | 'archive'
  | 'order'
  | 'order_with_text'
  | 'pay'
  | 'pay_with_late_failure'
  | 'cancel'
  | ShopStep

/** Steps of the simulator. */
export type ShopStep = 'start_production' | 'ship_part' | 'ship' | 'deliver' | 'return' | 'hold' | 'release'

/** The steps after which an event has been emitted, or why no steps lead there. */
type Recipe = readonly Step[] | { reason: string }

const PAID = ['finalize', 'order', 'pay'] as const
const IN_PRODUCTION = [...PAID, 'start_production'] as const
const DELIVERED = [...IN_PRODUCTION, 'ship', 'deliver'] as const

const RECIPES: Readonly<Record<EventType, Recipe>> = {
  'design.finalized': ['finalize'],
  'design.archived': ['archive'],
  'design.finalization_failed': { reason: 'it needs a fault of the service while a design is rendered' },
  'design.files_ready': ['finalize', 'order_with_text'],
  'design.files_failed': { reason: 'it needs a fault of the service while an order item is rendered' },
  'order.created': ['finalize', 'order'],
  'order.confirmed': PAID,
  'order.on_hold': [...PAID, 'hold'],
  'order.released': [...PAID, 'hold', 'release'],
  'order.in_production': IN_PRODUCTION,
  'order.partially_shipped': [...IN_PRODUCTION, 'ship_part'],
  'order.shipped': [...IN_PRODUCTION, 'ship'],
  'order.delivered': DELIVERED,
  'order.cancelled': ['finalize', 'order', 'cancel'],
  'order.address_changed': { reason: 'it needs an operator who corrects a postal address: PATCH /orders/{orderId}' },
  'payment.captured': PAID,
  'payment.failed': ['finalize', 'order', 'pay_with_late_failure'],
  'payment.refunded': [...PAID, 'cancel'],
  'shipment.created': [...IN_PRODUCTION, 'ship'],
  'shipment.updated': {
    reason: 'it needs an operator who corrects a parcel: PATCH /orders/{orderId}/shipments/{shipmentId}',
  },
  'shipment.delivered': DELIVERED,
  'shipment.returned': [...DELIVERED, 'return'],
}

export const EVENT_TYPES = Object.keys(RECIPES).sort() as readonly EventType[]

export const isEventType = (text: string): text is EventType => Object.hasOwn(RECIPES, text)

/** Returns the steps that lead to an event. Returns the reason if it cannot be made to happen. */
export function recipeFor(type: EventType): { steps: readonly Step[] } | { reason: string } {
  const recipe = RECIPES[type]
  return 'reason' in recipe ? recipe : { steps: recipe }
}
