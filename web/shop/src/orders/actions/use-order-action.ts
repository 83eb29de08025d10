import { OWN } from '@platen/app/session'
import type { Order } from '@platen/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { orderQuery } from '../queries.ts'

/** Runs an action of the service on an order, and shows the order as it is afterwards. */
export function useOrderAction<Input>(orderId: string, act: (input: Input) => Promise<Order>) {
  const client = useQueryClient()
  const { queryKey } = orderQuery(orderId)
  return useMutation({
    mutationFn: act,
    onSuccess: async (order) => {
      // A request that is under way may have read the order before.
      await client.cancelQueries({ queryKey })
      client.setQueryData(queryKey, order)
      void client.invalidateQueries({ queryKey: [OWN, 'orders'] })
    },
    // The order may be another one than the page shows.
    onError: () => client.invalidateQueries({ queryKey }),
  })
}
