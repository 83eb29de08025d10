import { notices } from '@platen/app/frame'
import { type Order, PlatenError, type RequestOptions } from '@platen/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ORDERS, orderQuery } from '../queries.ts'

/** The headers of a request that the service refuses if the order has changed since the operator saw it. */
export type IfUnchanged = Pick<RequestOptions, 'headers'>

export interface OrderActionOptions {
  /** Says what has happened. */
  done: string
  onDone(): void
}

/**
 * Runs an action on an order, and shows the order as it is afterwards. If another operator was faster, the action is
 * refused, and the operator decides again.
 */
export function useOrderAction(
  order: Order,
  act: (ifUnchanged: IfUnchanged) => Promise<unknown>,
  { done, onDone }: OrderActionOptions,
) {
  const client = useQueryClient()
  const { queryKey } = orderQuery(order.id)
  const [seen, setSeen] = useState(order.revision)
  return useMutation({
    mutationFn: () => act({ headers: { 'if-match': `"${seen}"` } }),
    onSuccess: async (result) => {
      // A request that is under way may have read the order before.
      await client.cancelQueries({ queryKey })
      if (isOrder(result, order.id)) client.setQueryData(queryKey, result)
      await client.invalidateQueries({ queryKey: ORDERS })
      notices.add({ text: done, tone: 'good' })
      onDone()
    },
    onError: async (error) => {
      await client.invalidateQueries({ queryKey })
      if (error instanceof PlatenError && error.code === 'precondition_failed') {
        setSeen(client.getQueryData<Order>(queryKey)?.revision ?? seen)
      }
    },
  })
}

const isOrder = (result: unknown, orderId: string): result is Order =>
  typeof result === 'object' && result !== null && 'id' in result && result.id === orderId
