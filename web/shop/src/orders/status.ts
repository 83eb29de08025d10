import type { ListedOrder, Order } from '@platen/client'
import type { MessageKey } from '@platen/ui'

export type OrderStatus = ListedOrder['status']

export const STATUS_TEXTS: Readonly<Record<OrderStatus, MessageKey>> = {
  awaiting_payment: 'order.statusAwaitingPayment',
  confirmed: 'order.statusConfirmed',
  in_production: 'order.statusInProduction',
  partially_shipped: 'order.statusPartiallyShipped',
  shipped: 'order.statusShipped',
  delivered: 'order.statusDelivered',
  on_hold: 'order.statusOnHold',
  cancelled: 'order.statusCancelled',
}

const STATUS_HELP: Readonly<Record<OrderStatus, MessageKey>> = {
  awaiting_payment: 'order.helpAwaitingPayment',
  confirmed: 'order.helpConfirmed',
  in_production: 'order.helpInProduction',
  partially_shipped: 'order.helpPartiallyShipped',
  shipped: 'order.helpShipped',
  delivered: 'order.helpDelivered',
  on_hold: 'order.helpOnHold',
  cancelled: 'order.helpCancelled',
}

/** Returns what the status of an order means for the customer. */
export const helpOf = ({ status, payment }: Pick<Order, 'status' | 'payment'>): MessageKey =>
  status === 'cancelled' && payment.capturedAt === null ? 'order.helpCancelledUnpaid' : STATUS_HELP[status]

/** Whether the page of an order need not ask for news. A parcel that arrived can still come back, but rarely does. */
export const hasEnded = ({ status }: Pick<ListedOrder, 'status'>): boolean =>
  status === 'delivered' || status === 'cancelled'
