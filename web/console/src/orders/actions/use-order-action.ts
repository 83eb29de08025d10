import { notices } from '@platen/app/frame'
import { type Order, PlatenError, type RequestOptions } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { noteOwnChanges } from '../../live/unread-events.ts'
import { ORDERS, orderQuery } from '../queries.ts'
import { orderNews } from './order-news.ts'
import { orderProblemText } from './order-problem-text.ts'

/** The headers of a request that the service refuses if the order has changed since the operator saw it. */
export type IfUnchanged = Pick<RequestOptions, 'headers'>

export interface OrderActionOptions {
  /** Says what has happened. */
  done: string
  onDone(): void
  /** Puts the order back. Offered for ten seconds, and refused if the order has changed meanwhile. */
  undo?(ifUnchanged: IfUnchanged): Promise<unknown>
  /** Whether the action has no dialog: the operator sees the order as the page shows it, and a notice says what failed. */
  isDirect?: boolean
}

/** How long an action can be undone. */
export const UNDO_MS = 10_000

/**
 * Runs an action on an order, and shows the order as it is afterwards. If another operator was faster, the action is
 * refused, and the operator learns what has changed and decides again.
 */
export function useOrderAction(
  order: Order,
  act: (ifUnchanged: IfUnchanged) => Promise<unknown>,
  { done, onDone, undo, isDirect = false }: OrderActionOptions,
) {
  const texts = useTexts()
  const client = useQueryClient()
  const { queryKey } = orderQuery(order.id)
  const [seen, setSeen] = useState(order)
  const [news, setNews] = useState<string>()
  const show = async (result: unknown, revisionBefore: number): Promise<void> => {
    // A request that is under way may have read the order before.
    await client.cancelQueries({ queryKey })
    const note = (until: number): void => noteOwnChanges(client, [{ id: order.id, after: revisionBefore, until }])
    if (isOrder(result, order.id)) {
      client.setQueryData(queryKey, result)
      note(result.revision)
    }
    await client.invalidateQueries({ queryKey: ORDERS })
    if (isOrder(result, order.id)) return
    // A response with a parcel or a refund does not state the revision of the order. If it cannot be read, the events
    // count as unread.
    client.fetchQuery(orderQuery(order.id)).then(
      ({ revision }) => note(revision),
      () => undefined,
    )
  }
  const offerUndo = (result: unknown) => {
    if (undo === undefined || !isOrder(result, order.id)) return {}
    const run = async (): Promise<void> => {
      try {
        await show(await undo(ifRevision(result.revision)), result.revision)
        notices.add({ text: texts.text('console.undone'), tone: 'good' })
      } catch (error) {
        await client.invalidateQueries({ queryKey })
        notices.add({ text: orderProblemText(texts, error), tone: 'danger' })
      }
    }
    return { action: { label: texts.text('console.undo'), run: () => void run() }, timeoutMs: UNDO_MS }
  }
  const mutation = useMutation({
    mutationFn: async () => {
      const { revision } = isDirect ? order : seen
      return { result: await act(ifRevision(revision)), revision }
    },
    onMutate: () => setNews(undefined),
    onSuccess: async ({ result, revision }) => {
      await show(result, revision)
      notices.add({ text: done, tone: 'good', ...offerUndo(result) })
      onDone()
    },
    onError: async (error) => {
      await client.invalidateQueries({ queryKey })
      const hasChanged = error instanceof PlatenError && error.code === 'precondition_failed'
      const now = (hasChanged ? client.getQueryData<Order>(queryKey) : undefined) ?? seen
      const changes = orderNews(isDirect ? order : seen, now, texts)
      setNews(changes)
      setSeen(now)
      if (isDirect) notices.add({ text: `${orderProblemText(texts, error)} ${changes ?? ''}`.trim(), tone: 'danger' })
    },
  })
  return { ...mutation, news }
}

/** Requires the order to be as it was at this revision. */
export const ifRevision = (revision: number): IfUnchanged => ({ headers: { 'if-match': `"${revision}"` } })

const isOrder = (result: unknown, orderId: string): result is Order =>
  typeof result === 'object' && result !== null && 'id' in result && result.id === orderId
