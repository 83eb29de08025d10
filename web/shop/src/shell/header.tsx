import { shopName } from '@platen/app/frame'
import { useAccount } from '@platen/app/session'
import { Icon, useText } from '@platen/ui'
import { Link, useLocation } from 'wouter'
import { useCartItems } from '../cart/use-cart-items.ts'
import { chrome } from './config.ts'

/** The name of the shop, and the ways to everything that belongs to the customer. */
export function Header() {
  const text = useText()
  const account = useAccount()
  const [path] = useLocation()
  const here = (href: string) =>
    path === href || path.startsWith(`${href}/`) ? ({ 'aria-current': 'page' } as const) : {}
  const { logo } = chrome
  const isKnown = account.kind === 'user' || account.kind === 'unknown'
  return (
    <header className="shop-header">
      <Link href="/" className="shop-name">
        {logo === undefined ? (
          shopName
        ) : (
          <img className="shop-logo" src={logo.url} width={logo.width} height={logo.height} alt={shopName} />
        )}
      </Link>
      <nav aria-label={text('shop.navigation')}>
        <Link href="/designs" className="pl-button quiet" {...here('/designs')}>
          <Icon name="layers" size={20} />
          <span className="wide-only">{text('shop.designs')}</span>
        </Link>
        {account.kind === 'none' ? null : (
          <Link href="/orders" className="pl-button quiet" {...here('/orders')}>
            <Icon name="package" size={20} />
            <span className="wide-only">{text('shop.orders')}</span>
          </Link>
        )}
        <CartLink {...here('/cart')} />
        {isKnown ? (
          <Link href="/account" className="pl-button quiet" {...here('/account')}>
            <Icon name="user" size={20} />
            <span className="wide-only">{text('shop.account')}</span>
          </Link>
        ) : (
          <Link href="/sign-in" className="pl-button" {...here('/sign-in')}>
            {text('common.signIn')}
          </Link>
        )}
      </nav>
    </header>
  )
}

/** The way to the cart, with the number of its items. */
function CartLink(props: { 'aria-current'?: 'page' }) {
  const text = useText()
  const items = useCartItems()
  const label = items.length === 0 ? text('shop.cart') : text('shop.cartOf', { count: items.length })
  return (
    <Link href="/cart" className="pl-button quiet icon cart-link" aria-label={label} {...props}>
      <Icon name="cart" size={20} />
      {items.length === 0 ? null : <span className="cart-count">{items.length}</span>}
    </Link>
  )
}
