import type { OrderBody } from '../../orders/index.ts'
import type { OrderMailKind } from '../kinds.ts'

export type HoldResolution = NonNullable<OrderBody['hold']>['resolution']

/** What the texts of a mail depend on. Dates and amounts are in the language of the mail. */
export interface TextFacts {
  /** Number of the order. */
  number: string
  date: string
  total: string
  /** Whether the customer can pay on the page of the order. */
  canPayOnline: boolean
  resolution: HoldResolution
  /** Whether further parcels follow. */
  isPartial: boolean
  /** Amount of the refund. */
  refunded: string
  /** Whether a payment is to be returned to the customer. */
  isRefundDue: boolean
}

/** The own texts of a mail. Each paragraph is one line. */
export interface MailTexts {
  subject: string
  heading: string
  paragraphs: readonly string[]
  /** Label of the button that leads to the page of the order. */
  button: string
}

/** All texts in one language. */
export interface Texts {
  mails: Readonly<Record<OrderMailKind, (facts: TextFacts) => MailTexts>>
  labels: {
    order: string
    items: string
    parcel: string
    quantity(count: string): string
    moreItems(count: number): string
    subtotal: string
    shipping: string
    tax: string
    /** Tax that the other amounts contain. */
    taxIncluded: string
    total: string
    shippingAddress: string
    carrier: string
    trackingNumber: string
    trackParcel: string
    refundedAmount: string
    message(shop: string): string
    item: string
    footer(shop: string, number: string): string
  }
}
