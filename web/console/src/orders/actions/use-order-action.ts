import { notices } from '@platen/app/frame'
import type { Order } from '@platen/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ORDERS, orderQuery } from '../queries.ts'

export interface OrderActionOptions {
  /** Says what has happened. */
  done: string
  onDone(): void
}

/** Runs an action on an order, and shows the order as it is afterwards. */
export function useOrderAction<Input = void>(
  orderId: string,
  act: (input: Input) => Promise<unknown>,
  { done, onDone }: OrderActionOptions,
) {
  const client = useQueryClient()
  const { queryKey } = orderQuery(orderId)
  return useMutation({
    mutationFn: act,
    onSuccess: async (result) => {
      // A request that is under way may have read the order before.
      await client.cancelQueries({ queryKey })
      if (isOrder(result, orderId)) client.setQueryData(queryKey, result)
      await client.invalidateQueries({ queryKey: ORDERS })
      notices.add({ text: done, tone: 'good' })
      onDone()
    },
    // The order may be another one than the page shows.
    onError: () => client.invalidateQueries({ queryKey }),
  })
}

const isOrder = (result: unknown, orderId: string): result is Order =>
  typeof result === 'object' && result !== null && 'id' in result && result.id === orderId
