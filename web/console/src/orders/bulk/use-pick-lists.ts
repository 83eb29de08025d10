import { saveBlob } from '@platen/app/files'
import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { problemText } from '../../shell/problem-text.ts'
import type { Selected } from './use-selection.ts'

/** Pick lists of one file, which the service limits. */
const PICK_LISTS_AT_ONCE = 50

/** Saves the pick lists of orders, in several files for many of them. */
export function usePickLists(orders: readonly Selected[]) {
  const texts = useTexts()
  return useMutation({
    mutationFn: async () => {
      for (let from = 0; from < orders.length; from += PICK_LISTS_AT_ONCE) {
        const ids = orders.slice(from, from + PICK_LISTS_AT_ONCE).map(({ id }) => id)
        const pdf = await platen.production.getPickLists({
          orderIds: ids.join(','),
          sort: 'dueAt',
          limit: PICK_LISTS_AT_ONCE,
        })
        saveBlob(`pick-lists-${from + 1}.pdf`, await pdf.blob())
      }
    },
    onError: (error) => notices.add({ text: problemText(texts, error), tone: 'danger' }),
  })
}
