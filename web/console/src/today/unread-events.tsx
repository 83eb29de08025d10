import { Skeleton, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { unreadQuery } from '../live/unread-events.ts'

/** How many events of others the user has not seen in the log of events, to which it leads. */
export function UnreadEvents({ userId }: { userId: string }) {
  const { text, formats } = useTexts()
  const { data } = useQuery(unreadQuery(userId))
  const count = data?.events.length ?? 0
  return (
    <Link href="/developers/events" className={`count ${count > 0 ? 'info' : ''}`}>
      <span className="count-number">
        {data === undefined ? (
          <Skeleton />
        ) : data.isMore ? (
          text('console.atLeastCount', { count })
        ) : (
          formats.number(count)
        )}
      </span>
      <span>{text('console.unreadEvents')}</span>
    </Link>
  )
}
