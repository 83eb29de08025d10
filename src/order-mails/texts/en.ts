import type { HoldResolution, Texts } from './texts.ts'

const HOLDS: Readonly<Record<HoldResolution, readonly [what: string, button: string]>> = {
  address: [
    'To continue, we need another postal address. Enter it on the page of your order. Your order then continues by itself.',
    'Correct the address',
  ],
  confirmation: [
    'To continue, we need your confirmation. Give it on the page of your order. Your order then continues by itself.',
    'Confirm',
  ],
  answer: [
    'To continue, we need your answer. Send it on the page of your order. We read it and tell you how your order continues.',
    'Answer',
  ],
  none: ['You need not do anything. We continue as soon as the cause is resolved.', 'View your order'],
}

const VIEW = 'View your order'

export const EN: Texts = {
  mails: {
    order_received: ({ number, date, canPayOnline }) => ({
      subject: `We received your order ${number}`,
      heading: 'Thank you for your order',
      paragraphs: [
        `We received your order ${number} of ${date}.`,
        canPayOnline
          ? 'If you have not paid yet, you can do so on the page of your order. We begin once the payment has arrived.'
          : 'It is not paid yet. We begin once we have received and recorded your payment.',
      ],
      button: canPayOnline ? 'Pay for your order' : VIEW,
    }),
    order_paid: ({ number, total }) => ({
      subject: `We received your payment for order ${number}`,
      heading: 'Thank you for your payment',
      paragraphs: [
        `We received your payment of ${total} for order ${number}.`,
        'Your order now goes into production. We write to you when it is on its way.',
      ],
      button: VIEW,
    }),
    order_on_hold: ({ number, resolution }) => {
      const [what, button] = HOLDS[resolution]
      const needsYou = resolution !== 'none'
      return {
        subject: needsYou ? `Your order ${number} needs your answer` : `Your order ${number} is on hold`,
        heading: needsYou ? 'We need your answer' : 'Your order is on hold',
        paragraphs: [`We have stopped work on your order ${number} for now.`, what],
        button,
      }
    },
    order_shipped: ({ number, isPartial }) => ({
      subject: isPartial ? `Part of your order ${number} is on its way` : `Your order ${number} is on its way`,
      heading: isPartial ? 'Part of your order is on its way' : 'Your order is on its way',
      paragraphs: [
        `We handed a parcel of your order ${number} to the carrier.`,
        ...(isPartial ? ['The rest follows in further parcels. We write to you about each of them.'] : []),
      ],
      button: VIEW,
    }),
    order_delivered: ({ number }) => ({
      subject: `Your order ${number} has arrived`,
      heading: 'Your order has arrived',
      paragraphs: [`The carrier delivered your order ${number}. We hope you enjoy it.`],
      button: VIEW,
    }),
    order_cancelled: ({ number, isRefundDue }) => ({
      subject: `Your order ${number} was cancelled`,
      heading: 'Your order was cancelled',
      paragraphs: [
        `Your order ${number} was cancelled. We will not produce it.`,
        ...(isRefundDue ? ['We return your payment, and write to you when that has happened.'] : []),
      ],
      button: VIEW,
    }),
    order_refunded: ({ number, refunded }) => ({
      subject: `Refund for your order ${number}`,
      heading: 'We returned money to you',
      paragraphs: [
        `We returned ${refunded} for your order ${number}.`,
        'Depending on how you paid, it can take some days until the amount reaches you.',
      ],
      button: VIEW,
    }),
  },
  labels: {
    order: 'Order',
    items: 'Your items',
    parcel: 'In this parcel',
    quantity: (count) => `Quantity: ${count}`,
    moreItems: (count) => (count === 1 ? 'and one further item' : `and ${count} further items`),
    subtotal: 'Subtotal',
    shipping: 'Shipping',
    tax: 'Tax',
    taxIncluded: 'Contains tax of',
    total: 'Total',
    shippingAddress: 'Delivery address',
    carrier: 'Carrier',
    trackingNumber: 'Tracking number',
    trackParcel: 'Track the parcel',
    refundedAmount: 'Refunded amount',
    message: (shop) => `Message from ${shop}`,
    item: 'Item',
    footer: (shop, number) => `You get this mail because of your order ${number} at ${shop}.`,
  },
}
