import type { Order, OrderBody } from '../../orders/index.ts'
import { minorDigits } from '../../platform/currencies.ts'

/** Describes an order in one line. All columns but the last have a fixed width. */
export function listLine({ number, status, createdAt, amounts, shippingAddress }: Order): string {
  const total = money({ amount: amounts.total, currency: amounts.currency })
  const { name, country } = shippingAddress
  return [number, status.padEnd(17), createdAt.toISOString().slice(0, 10), total.padStart(14), `${name}, ${country}`]
    .join('  ')
    .trimEnd()
}

export function describeOrder(order: OrderBody): string[] {
  const { amounts, payment, shippingAddress: address, hold } = order
  return [
    `${order.number}  ${order.status}  ${order.id}`,
    ...(hold === undefined ? [] : [`  on hold: ${inLine(hold.reason)}`]),
    `  ordered   ${order.createdAt}`,
    `  total     ${money(amounts.total)}; payment ${payment.status}${refunded(payment)}`,
    `  ship to   ${Object.values(address).join(', ')}`,
    `  shipping  ${order.shippingMethod}`,
    'Items',
    ...order.items.map(
      ({ quantity, designId, variantId, personalization }, index) =>
        `  ${index + 1}. ${quantity} x ${variantId}, ${designId}${
          personalization === undefined ? '' : `, personalized print files: ${personalization.status}`
        }`,
    ),
    ...(order.shipments.length === 0 ? [] : ['Shipments']),
    ...order.shipments.map(
      ({ id, status, carrier, trackingNumber }) =>
        `  ${id}  ${status}  ${carrier}${trackingNumber === null ? '' : ` ${trackingNumber}`}`,
    ),
    'Timeline',
    ...order.timeline.map(
      ({ at, type, by, reason }) => `  ${at}  ${type} by ${by}${reason === undefined ? '' : `: ${inLine(reason)}`}`,
    ),
  ]
}

function refunded({ refundedAmount }: OrderBody['payment']): string {
  return refundedAmount.amount === 0 ? '' : `, ${money(refundedAmount)} refunded`
}

/** Formats an amount of minor units, independent of the locale: `12.50 EUR`. */
function money({ amount, currency }: { amount: number; currency: string }): string {
  const digits = minorDigits(currency)
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`
}

function inLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}
