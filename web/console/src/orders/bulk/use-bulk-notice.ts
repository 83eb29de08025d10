import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { BulkResult } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { noteOwnChanges } from '../../live/unread-events.ts'
import { problemText } from '../../shell/problem-text.ts'
import { UNDO_MS } from '../actions/use-order-action.ts'
import { ORDERS } from '../queries.ts'
import type { BulkAction } from './bulk-actions.ts'
import { ownChanges } from './use-bulk-change.ts'

/** Orders of one request. */
const ORDERS_AT_ONCE = 20

/**
 * Returns a function that says what has become of several orders. It offers to undo a hold for ten seconds; an order that
 * has changed meanwhile stays on hold. Orders that have been shipped leave the board and most views of the table, so it
 * leads to them.
 */
export function useBulkNotice(): (action: BulkAction, results: Iterable<BulkResult>) => void {
  const texts = useTexts()
  const { text } = texts
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const release = async (orders: readonly { id: string; revision: number }[]): Promise<void> => {
    let left = 0
    try {
      for (let start = 0; start < orders.length; start += ORDERS_AT_ONCE) {
        const part = orders.slice(start, start + ORDERS_AT_ONCE)
        const { results } = await platen.production.changeOrdersInBulk({ action: 'release', orders: part })
        noteOwnChanges(client, ownChanges(part, results))
        left += results.filter(({ outcome }) => outcome === 'failed').length
      }
      if (left === 0) notices.add({ text: text('console.undone'), tone: 'good' })
      else notices.add({ text: text('console.bulkUndonePart', { count: left }), tone: 'danger' })
    } catch (error) {
      notices.add({ text: problemText(texts, error), tone: 'danger' })
    }
    await client.invalidateQueries({ queryKey: ORDERS })
  }
  const noteShipped = (count: number): void => {
    if (count === 0) return
    const run = () => navigate('/orders?status=shipped')
    const action = { label: text('console.bulkShowShipped'), run }
    notices.add({ text: text('console.bulkShipped', { count }), tone: 'good', action })
  }
  return (action, results) => {
    if (action === 'ship') noteShipped([...results].filter(({ outcome }) => outcome === 'done').length)
    if (action !== 'hold') return
    const held = [...results].flatMap(({ orderId, outcome, revision }) =>
      outcome === 'done' && revision !== undefined ? [{ id: orderId, revision }] : [],
    )
    if (held.length === 0) return
    notices.add({
      text: text('console.bulkHeld', { count: held.length }),
      tone: 'good',
      action: { label: text('console.undo'), run: () => void release(held) },
      timeoutMs: UNDO_MS,
    })
  }
}
