import { platen } from '@platen/app/session'
import type { ChangeRecord } from '@platen/client'
import { type QueryKey, queryOptions } from '@tanstack/react-query'

/** The newest changes. Other administrators change things at the same time, so each visit reads them again. */
export const changeRecordsQuery = (queryKey: QueryKey, subject: ChangeRecord['subject'], subjectId?: string) =>
  queryOptions({
    queryKey: [...queryKey, 'history', subject, subjectId],
    queryFn: async ({ signal }) => {
      const filter = { subject, limit: 50, ...(subjectId === undefined ? {} : { subjectId }) }
      return (await platen.changeRecords.list(filter, { signal })).data
    },
    staleTime: 0,
  })
