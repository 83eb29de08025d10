import type { OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import type { Refused } from '../actions/bar/not-possible.tsx'
import { reasonText } from '../actions/bar/reason-text.ts'
import { type BulkAction, bulkActionsOf, leadsOn, textOf } from './bulk-actions.ts'
import type { Selected } from './use-selection.ts'

export interface BulkOffers {
  /** The step that leads all selected orders on. */
  main: BulkAction | undefined
  /** The other actions that are possible for one or more orders. */
  others: readonly { action: BulkAction; title: string }[]
  /** The actions that are possible for no selected order, with the reasons. */
  refused: readonly Refused[]
}

/** Tells which actions the selected orders allow, as they were last shown. */
export function useBulkOffers(orders: readonly Selected[], user: OwnUser): BulkOffers {
  const texts = useTexts()
  const { text } = texts
  const offers = bulkActionsOf(user).map((action) => {
    const stated = orders.map((order) => order.availableActions.find((one) => one.action === action))
    const reasons = orders.flatMap((order, index) => {
      const one = stated[index]
      return one === undefined || one.allowed ? [] : [reasonText(texts, order, one.reason ?? '')]
    })
    return { action, possible: stated.filter((one) => one?.allowed === true).length, reasons: [...new Set(reasons)] }
  })
  const main = offers.find(({ action, possible }) => leadsOn(action) && possible === orders.length)?.action
  const titleOf = (action: BulkAction, possible: number): string =>
    possible === orders.length
      ? text(textOf(action))
      : text('console.bulkPartly', { action: text(textOf(action)), possible, count: orders.length })
  return {
    main,
    others: offers.flatMap(({ action, possible }) =>
      possible === 0 || action === main ? [] : [{ action, title: titleOf(action, possible) }],
    ),
    refused: offers.flatMap(({ action, possible, reasons }) =>
      possible > 0 ? [] : [{ title: text(textOf(action)), reason: reasons.join(' ') }],
    ),
  }
}
