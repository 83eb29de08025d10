import { notices } from '@platen/app/frame'
import type { ListedOrder } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useLocation } from 'wouter'
import { useCart } from '../../cart/use-cart.ts'
import { useLeftOutNotice } from '../../cart/use-full-notices.ts'

/** Puts the designs of an order into the cart again, with the same quantities and texts. */
export function useReorder({ items }: Pick<ListedOrder, 'items'>): () => void {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const cart = useCart()
  const tellOfLeftOut = useLeftOutNotice()
  return () => {
    const again = items.map(({ designId, quantity, data }) => ({
      ...{ designId, quantity },
      ...(data === undefined ? {} : { data }),
    }))
    const leftOut = cart.add(again).length
    const count = items.length - leftOut
    if (count > 0) notices.add({ text: text('order.reordered', { count }), tone: 'good' })
    tellOfLeftOut(leftOut)
    navigate('/cart')
  }
}
