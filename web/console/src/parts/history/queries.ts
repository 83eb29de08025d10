import { platen } from '@platen/app/session'
import type { ChangeRecord } from '@platen/client'
import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query'

/** The changes page by page. Other administrators change things at the same time, so each visit reads them again. */
export const changeRecordsQuery = (queryKey: QueryKey, subject: ChangeRecord['subject'], subjectId?: string) =>
  infiniteQueryOptions({
    queryKey: [...queryKey, 'history', subject, subjectId],
    queryFn: ({ signal, pageParam: cursor }) =>
      platen.changeRecords.list({ subject, subjectId, limit: 50, cursor }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: 0,
  })
