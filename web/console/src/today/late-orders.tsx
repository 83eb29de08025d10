import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { AttentionList } from './attention-list.tsx'
import { lateOrdersQuery } from './queries.ts'

/** The service counts no more. */
const MOST_COUNTED = 1_000

/** The oldest late orders, and how many there are. */
export function LateOrders() {
  const { text } = useTexts()
  const { data: count } = useQuery(lateOrdersQuery())
  const key = (count ?? 0) < MOST_COUNTED ? 'console.showAllCount' : 'console.showAllCountMore'
  return (
    <AttentionList
      title={text('console.late')}
      empty={text('console.nothingLate')}
      query={{ late: 'true', sort: 'createdAt' }}
      all="/orders?late=true&sort=createdAt"
      {...(count === undefined ? {} : { allText: text(key, { count }) })}
    />
  )
}
