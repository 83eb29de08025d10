import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { ListedDesign } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { useAddToCart } from '../../cart/use-add-to-cart.ts'
import { problemText } from '../../shell/failures/problem-text.ts'
import { designsQuery } from '../queries.ts'
import { pageOf } from '../status.ts'
import { useDuplicate } from '../use-new-design.ts'
import { leaving } from './leaving.ts'

/** What the menu of a design does. */
export function useDesignActions(design: ListedDesign) {
  const texts = useTexts()
  const { text } = texts
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const { mutate } = useDuplicate()
  const addToCart = useAddToCart()
  const fail = (error: unknown): void => {
    notices.add({ text: problemText(texts, error), tone: 'danger' })
  }
  /** Archives for good. A design that was never archived because the page was left is in the list again. */
  const finish = async (): Promise<void> => {
    await platen.designs.archive(design.id).catch(fail)
    await client.invalidateQueries({ queryKey: designsQuery().queryKey })
    leaving.remove(design.id)
  }
  /** An archived design cannot be brought back, so the request waits until the customer cannot undo it any more. */
  const archive = (): void => {
    leaving.add(design.id)
    notices.add({
      text: text('shop.archivedNotice', { name: design.name }),
      action: { label: text('common.undo'), run: () => leaving.remove(design.id) },
      onClose: () => void finish(),
    })
  }
  return {
    open: () => navigate(pageOf(design)),
    addToCart: () => addToCart(design),
    duplicate: () => mutate(design.id, { onError: fail }),
    archive,
  }
}
