import { CopyButton } from '@platen/app/copy-button'
import { Loading, Page } from '@platen/app/frame'
import type { Event } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { Facts, Section } from '../../parts/page/section.tsx'
import { lastTableUrl } from '../../parts/table/use-place.ts'
import { Failure } from '../../shell/failure.tsx'
import { eventQuery } from '../queries.ts'
import { SubjectLink } from './subject-link.tsx'

/** An event with the record as it was after the change. */
export function EventPage({ eventId }: { eventId: string }) {
  const { text } = useTexts()
  const found = useQuery(eventQuery(eventId))
  const back = { href: lastTableUrl('/developers/events'), text: text('consoleDevelopers.eventLog') }
  const event = found.data
  if (event === undefined) {
    if (found.error === null) return <Loading />
    return (
      <Failure
        error={found.error}
        onRetry={() => void found.refetch()}
        missing={text('consoleDevelopers.eventMissing')}
        back={back}
      />
    )
  }
  return (
    <>
      <Crumbs back={back} />
      <Page title={event.type}>
        <div className="column">
          <EventFacts event={event} />
          <EventPayload event={event} />
        </div>
      </Page>
    </>
  )
}

function EventFacts({ event: { id, type, subject, sequence, createdAt } }: { event: Event }) {
  const { text, formats } = useTexts()
  return (
    <Section
      title={text('consoleDevelopers.event')}
      action={<Link href={`/developers/events?subject=${subject}`}>{text('consoleDevelopers.eventsOfRecord')}</Link>}
    >
      <Facts
        facts={[
          [text('consoleDevelopers.id'), id],
          [
            text('consoleDevelopers.type'),
            <a key="type" href={`/docs/events#${type}`} className="other-link">
              {type}
            </a>,
          ],
          [text('consoleDevelopers.created'), formats.dateTime(createdAt)],
          [text('consoleDevelopers.subject'), <SubjectLink key="subject" subject={subject} />],
          [text('consoleDevelopers.sequence'), formats.number(sequence)],
        ]}
      />
    </Section>
  )
}

function EventPayload({ event }: { event: Event }) {
  const { text } = useTexts()
  const payload = JSON.stringify(event, null, 2)
  return (
    <Section
      title={text('consoleDevelopers.payload')}
      action={<CopyButton copied={payload} label={text('account.copy')} />}
    >
      <div className="payload">
        <pre>{payload}</pre>
      </div>
    </Section>
  )
}
