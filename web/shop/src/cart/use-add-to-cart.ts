import type { Design } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useLocation } from 'wouter'
import { notices } from '../shell/notices.ts'
import { MAX_ITEMS } from './stored-cart.ts'
import { useCart } from './use-cart.ts'

/** Puts a piece of a finished design into the cart, and says so. */
export function useAddToCart(): (design: Pick<Design, 'id' | 'name'>) => void {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const cart = useCart()
  return ({ id, name }) => {
    if (cart.items.length >= MAX_ITEMS) {
      notices.add({ text: text('shop.cartFull', { count: MAX_ITEMS }), tone: 'danger' })
      return
    }
    cart.add({ designId: id, quantity: 1 })
    notices.add({
      text: text('shop.addedToCart', { name }),
      tone: 'good',
      action: { label: text('shop.toCart'), run: () => navigate('/cart') },
    })
  }
}
