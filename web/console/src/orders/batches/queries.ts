import { platen } from '@platen/app/session'
import type { ListBatchesQuery } from '@platen/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { OVERVIEWS } from '../queries.ts'

/** Keys of everything that shows batches begin with this. They show the status of orders, so they change with these. */
export const BATCHES = [...OVERVIEWS, 'batches'] as const

/** A page of the table. The previous one stays until it is there. */
export const batchListQuery = (query: ListBatchesQuery) =>
  queryOptions({
    queryKey: [...BATCHES, 'list', query],
    queryFn: ({ signal }) => platen.production.listBatches(query, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

export const batchQuery = (batchId: string) =>
  queryOptions({
    queryKey: [...BATCHES, batchId],
    queryFn: ({ signal }) => platen.production.getBatch(batchId, { signal }),
    staleTime: 0,
  })
