import { notices } from '@platen/app/frame'
import { MAX_ITEMS } from '@platen/app/session'
import { useTexts } from '@platen/ui'

/** Returns the function that says that the cart has no room for another item. */
export function useFullNotice(): () => void {
  const { text } = useTexts()
  return () => notices.add({ text: text('shop.cartFull', { count: MAX_ITEMS }), tone: 'danger' })
}

/** Returns the function that says how many of several items did not fit into the cart. */
export function useLeftOutNotice(): (count: number) => void {
  const { text } = useTexts()
  return (count) => {
    if (count > 0) notices.add({ text: text('shop.cartLeftOut', { count, limit: MAX_ITEMS }), tone: 'danger' })
  }
}
