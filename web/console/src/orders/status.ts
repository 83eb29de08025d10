import type { ListedOrder } from '@platen/client'
import type { MessageKey } from '@platen/ui'
import type { Tone } from '../parts/pill.tsx'

export type OrderStatus = ListedOrder['status']
export type PaymentStatus = ListedOrder['payment']['status']

interface Shown {
  text: MessageKey
  tone: Tone
}

/** In the order in which orders go through them. */
export const ORDER_STATUS: Readonly<Record<OrderStatus, Shown>> = {
  awaiting_payment: { text: 'console.statusAwaitingPayment', tone: 'neutral' },
  confirmed: { text: 'console.statusConfirmed', tone: 'info' },
  in_production: { text: 'console.statusInProduction', tone: 'info' },
  on_hold: { text: 'console.statusOnHold', tone: 'warning' },
  partially_shipped: { text: 'console.statusPartiallyShipped', tone: 'info' },
  shipped: { text: 'console.statusShipped', tone: 'good' },
  delivered: { text: 'console.statusDelivered', tone: 'good' },
  cancelled: { text: 'console.statusCancelled', tone: 'neutral' },
}

export const ORDER_STATUSES = Object.keys(ORDER_STATUS) as readonly OrderStatus[]

export const PAYMENT_STATUS: Readonly<Record<PaymentStatus, Shown>> = {
  pending: { text: 'console.paymentPending', tone: 'neutral' },
  authorized: { text: 'console.paymentAuthorized', tone: 'info' },
  captured: { text: 'console.paymentCaptured', tone: 'good' },
  partially_refunded: { text: 'console.paymentPartiallyRefunded', tone: 'warning' },
  refunded: { text: 'console.paymentRefunded', tone: 'neutral' },
  failed: { text: 'console.paymentFailed', tone: 'danger' },
}

export const PAYMENT_STATUSES = Object.keys(PAYMENT_STATUS) as readonly PaymentStatus[]
