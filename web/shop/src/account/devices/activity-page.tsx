import { Loading, Page } from '@platen/app/frame'
import { iconOfEvent, isWorthKnowing, textOfEvent, useDeviceName } from '@platen/app/security'
import type { OwnSecurityEvent } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Failure } from '../../shell/failures/failure.tsx'
import { More } from '../frame/more.tsx'
import { Row, Rows } from '../frame/rows.tsx'
import { eventsQuery } from '../queries.ts'

/** What has happened with the account. */
export function ActivityPage() {
  const { text } = useTexts()
  const list = useInfiniteQuery(eventsQuery())
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} />
  if (list.data === undefined) return <Loading />
  const events = list.data.pages.flatMap(({ data }) => data).filter(isWorthKnowing)
  return (
    <Page title={text('account.activity')}>
      <p className="section-help">{text('account.activityHelp')}</p>
      <Rows label={text('account.activity')}>
        {events.map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </Rows>
      <More list={list} />
    </Page>
  )
}

const ACTORS: Readonly<Record<OwnSecurityEvent['actor'], MessageKey | undefined>> = {
  you: undefined,
  administrator: 'account.byAdministrator',
  operator: 'account.byAdministrator',
  system: 'account.bySystem',
  unknown: undefined,
}

function EventRow({ event }: { event: OwnSecurityEvent }) {
  const { text, formats } = useTexts()
  const nameOf = useDeviceName()
  const { actor, createdAt, ipAddress, userAgent } = event
  const by = ACTORS[actor]
  const place = [userAgent === null ? undefined : nameOf(userAgent), ipAddress ?? undefined]
    .filter((part) => part !== undefined)
    .join(' · ')
  return (
    <Row
      icon={iconOfEvent(event)}
      title={text(textOfEvent(event))}
      notes={[formats.dateTime(createdAt), ...(place === '' ? [] : [place]), ...(by === undefined ? [] : [text(by)])]}
    />
  )
}
