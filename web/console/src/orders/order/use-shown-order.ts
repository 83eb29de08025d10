import { useQuery, useQueryClient } from '@tanstack/react-query'
import { findListed, orderQuery } from '../queries.ts'

/** No event announces a note, because customers receive the events of their orders. */
const NOTES_MS = 10_000

/** The order of a page: first as a table has shown it, then with all its parts, and kept up to date. */
export function useShownOrder(orderId: string) {
  const client = useQueryClient()
  return useQuery({
    ...orderQuery(orderId),
    placeholderData: () => findListed(client, orderId),
    refetchInterval: NOTES_MS,
  })
}
