import { notices } from '@platen/app/frame'
import type { Design } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useCart } from './use-cart.ts'
import { useFullNotice } from './use-full-notices.ts'

/** Puts a piece of a finished design into the cart, and says so. */
export function useAddToCart(): (design: Pick<Design, 'id' | 'name'>) => void {
  const { text } = useTexts()
  const cart = useCart()
  const tellFull = useFullNotice()
  return ({ id, name }) => {
    if (cart.add([{ designId: id, quantity: 1 }]).length > 0) return tellFull()
    notices.add({ text: text('shop.addedToCart', { name }), tone: 'good' })
  }
}
