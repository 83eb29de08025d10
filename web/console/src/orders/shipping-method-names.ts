import { platen } from '@platen/app/session'
import type { ListedOrder } from '@platen/client'
import { queryOptions, useQuery } from '@tanstack/react-query'

/** The shipping methods by name. */
export const shippingMethodNamesQuery = () =>
  queryOptions({
    queryKey: ['shipping method names'],
    queryFn: async ({ signal }) => {
      const names: { id: string; text: string }[] = []
      for await (const { id, name } of platen.shippingMethods.list({ limit: 100 }, { signal })) {
        names.push({ id, text: name })
      }
      return names
    },
  })

/** Returns the name of the shipping method of an order, or its id if the method was deleted. */
export function useShippingMethodName(): (order: Pick<ListedOrder, 'shippingMethod'>) => string {
  const { data } = useQuery(shippingMethodNamesQuery())
  return ({ shippingMethod }) => data?.find(({ id }) => id === shippingMethod)?.text ?? shippingMethod
}
