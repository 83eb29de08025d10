import type { OrderBody } from '../../orders/index.ts'

type Money = OrderBody['amounts']['total']

/** What mails state of an order. */
export interface MailOrder
  extends Pick<OrderBody, 'id' | 'number' | 'status' | 'shippingAddress' | 'amounts' | 'taxIncluded' | 'createdAt'> {
  items: readonly {
    id: string
    quantity: number
    product: Pick<OrderBody['items'][number]['product'], 'name'>
    variant: Pick<OrderBody['items'][number]['variant'], 'options'>
    design: Pick<OrderBody['items'][number]['design'], 'name'>
    total: Money
  }[]
  payment: {
    capturedAmount: Money
    refundedAmount: Money
    refunds: readonly Pick<OrderBody['payment']['refunds'][number], 'id' | 'amount' | 'reason'>[]
  }
  shipments: readonly (Pick<OrderBody['shipments'][number], 'id' | 'carrier' | 'trackingNumber' | 'trackingUrl'> & {
    items: readonly { itemId: string; quantity: number }[]
  })[]
  hold?: Pick<NonNullable<OrderBody['hold']>, 'reason' | 'resolution'> | null
  timeline: readonly Pick<OrderBody['timeline'][number], 'type' | 'by' | 'reason'>[]
  availableActions: readonly Pick<OrderBody['availableActions'][number], 'action' | 'allowed'>[]
}
