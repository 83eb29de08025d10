import { Redirect } from 'wouter'
import { ownerOf } from '../cart/use-cart-items.ts'
import { useAccount } from '../session/use-session.ts'
import { Loading } from '../shell/loading.tsx'
import { OrderTexts } from '../shell/order-texts.tsx'
import { Checkout } from './checkout.tsx'

export function CheckoutPage() {
  return (
    <OrderTexts>
      <OwnCheckout />
    </OrderTexts>
  )
}

function OwnCheckout() {
  const account = useAccount()
  const owner = ownerOf(account)
  if (account.kind === 'unknown') return <Loading />
  if (owner === undefined) return <Redirect to="/cart" replace />
  // Another customer of this browser begins with another address.
  return <Checkout key={owner} owner={owner} />
}
