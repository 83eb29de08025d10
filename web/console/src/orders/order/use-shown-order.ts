import { PlatenError } from '@platen/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { findListed, orderQuery } from '../queries.ts'

/** No event announces a note, because customers receive the events of their orders. */
const NOTES_MS = 10_000

/** The order of a page: first as a table has shown it, then with all its parts, and kept up to date. */
export function useShownOrder(orderId: string) {
  const client = useQueryClient()
  const query = useQuery({
    ...orderQuery(orderId),
    placeholderData: () => findListed(client, orderId),
    refetchInterval: NOTES_MS,
  })
  // A page that shows the order survives a failure to read it again, but not that the user may see it no more.
  return { query, failure: query.isLoadingError || isRefused(query.error) ? query.error : null }
}

const isRefused = (error: Error | null): boolean =>
  error instanceof PlatenError && (error.status === 403 || error.status === 404)
