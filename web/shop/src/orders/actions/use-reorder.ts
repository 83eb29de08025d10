import type { ListedOrder } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useLocation } from 'wouter'
import { useCart } from '../../cart/use-cart.ts'
import { notices } from '../../shell/notices.ts'

/** Puts the designs of an order into the cart again, with the same quantities and texts. */
export function useReorder({ items }: Pick<ListedOrder, 'items'>): () => void {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const cart = useCart()
  return () => {
    for (const { designId, quantity, data } of items) {
      cart.add({ designId, quantity, ...(data === undefined ? {} : { data }) })
    }
    notices.add({ text: text('order.reordered', { count: items.length }), tone: 'good' })
    navigate('/cart')
  }
}
