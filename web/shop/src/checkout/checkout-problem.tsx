import { Banner, useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { orderProblemText } from '../orders/actions/order-problem-text.ts'
import type { Checkout } from './use-checkout.ts'

/** Says what the service refused, unless a field of the address says it. */
export function CheckoutProblem({ checkout }: { checkout: Checkout }) {
  const texts = useTexts()
  const { text } = texts
  const { error, hasRefusals, addressFaults } = checkout
  if (error === null) return null
  if (hasRefusals) {
    return (
      <Banner
        tone="danger"
        isLive
        action={
          <Link href="/cart" className="pl-button">
            {text('order.backToCart')}
          </Link>
        }
      >
        {text('order.itemsRefused')}
      </Banner>
    )
  }
  const hasFaults = Object.keys(addressFaults).length > 0
  return (
    <Banner tone="danger" isLive>
      {hasFaults ? text('order.addressRefused') : orderProblemText(texts, error)}
    </Banner>
  )
}
