/** The mails that a customer gets about an order. */
export const ORDER_MAIL_KINDS = [
  'order_received',
  'order_paid',
  'order_on_hold',
  'order_shipped',
  'order_delivered',
  'order_cancelled',
  'order_refunded',
] as const
export type OrderMailKind = (typeof ORDER_MAIL_KINDS)[number]
