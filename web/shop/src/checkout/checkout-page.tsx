import { Loading, MoreTexts } from '@platen/app/frame'
import { useAccount } from '@platen/app/session'
import { Redirect } from 'wouter'
import { ownerOf } from '../cart/use-cart-items.ts'
import { Checkout } from './checkout.tsx'

export function CheckoutPage() {
  return (
    <MoreTexts groups={['order']}>
      <OwnCheckout />
    </MoreTexts>
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
