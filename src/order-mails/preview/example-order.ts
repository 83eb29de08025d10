import type { Language } from '../../platform/languages.ts'
import type { MailOrder } from '../content/mail-order.ts'
import type { OrderMailKind } from '../kinds.ts'

const TEXTS = {
  en: {
    product: 'Postcard',
    design: 'Summer',
    size: 'A6',
    hold: 'Is the street correct?',
    refund: 'One was scratched.',
  },
  de: {
    product: 'Postkarte',
    design: 'Sommer',
    size: 'A6',
    hold: 'Stimmt die Straße?',
    refund: 'Eine war zerkratzt.',
  },
} as const

const euro = (amount: number) => ({ amount, currency: 'EUR' })

export const EXAMPLE_SHIPMENT = 'shp_example'
export const EXAMPLE_REFUND = 'ref_example'

/** Which record of the example a mail is about. */
export const EXAMPLE_CAUSES: Partial<Record<OrderMailKind, string>> = {
  order_shipped: EXAMPLE_SHIPMENT,
  order_refunded: EXAMPLE_REFUND,
}

/** An order that has everything that mails can state. It belongs to no customer. */
export function exampleOrder(kind: OrderMailKind, language: Language, now: Date): MailOrder {
  const { product, design, size, hold, refund } = TEXTS[language]
  const [refunded, captured] = kind === 'order_refunded' ? [euro(500), euro(5_390)] : [euro(0), euro(5_390)]
  const isPaid = kind !== 'order_received'
  return {
    ...{ id: 'ord_example', number: 'PL-7KQ4-M2XD', createdAt: now.toISOString(), taxIncluded: true },
    status: kind === 'order_on_hold' ? 'on_hold' : 'in_production',
    items: [
      {
        ...{ id: 'itm_example', quantity: 100, total: euro(4_900) },
        ...{ product: { name: product }, variant: { options: { size } }, design: { name: design } },
      },
    ],
    amounts: { subtotal: euro(4_900), shipping: euro(490), tax: euro(861), total: euro(5_390) },
    payment: {
      capturedAmount: isPaid ? captured : euro(0),
      refundedAmount: refunded,
      refunds: [{ id: EXAMPLE_REFUND, amount: euro(500), reason: refund }],
    },
    shipments: [
      {
        ...{ id: EXAMPLE_SHIPMENT, carrier: 'DHL', trackingNumber: '00340434', trackingUrl: null },
        items: [{ itemId: 'itm_example', quantity: 100 }],
      },
    ],
    hold: { reason: hold, resolution: 'address' },
    timeline: [],
    availableActions: [{ action: 'pay', allowed: !isPaid }],
    shippingAddress: {
      ...{ name: 'Ada Lovelace', line1: 'Chausseestraße 125', city: 'Berlin', postalCode: '10115', country: 'DE' },
    },
  }
}
