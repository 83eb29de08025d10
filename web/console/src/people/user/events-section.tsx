import { isWorthKnowing } from '@platen/app/security'
import type { ManagedUser, SecurityEvent } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Section } from '../../parts/page/section.tsx'
import { textOfEvent } from '../../parts/security-events.ts'
import { problemText } from '../../shell/problem-text.ts'
import { userEventsQuery } from '../queries.ts'

/** Are shown before the rest is asked for. */
const SHOWN = 10

/** The newest events of the account in the audit log. */
export function EventsSection({ user }: { user: ManagedUser }) {
  const texts = useTexts()
  const { text } = texts
  const [isWhole, setWhole] = useState(false)
  const events = useQuery(userEventsQuery(user.id))
  const known = events.data?.filter(isWorthKnowing) ?? []
  return (
    <Section title={text('consolePeople.events')}>
      {events.error === null ? null : <p className="note">{problemText(texts, events.error)}</p>}
      <ul className="lines">
        {known.slice(0, isWhole ? known.length : SHOWN).map((event) => (
          <EventLine key={event.id} event={event} owner={user} />
        ))}
      </ul>
      {isWhole || known.length <= SHOWN ? null : (
        <Button look="quiet" onPress={() => setWhole(true)}>
          {text('common.showMore')}
        </Button>
      )}
    </Section>
  )
}

function EventLine({ event, owner }: { event: SecurityEvent; owner: ManagedUser }) {
  const { text, formats } = useTexts()
  const { type, createdAt, ipAddress, actor, result } = event
  const isOthers = actor !== null && actor !== owner.id
  return (
    <li>
      <span>{text(textOfEvent(type))}</span>
      <span className="note">
        <time dateTime={createdAt}>{formats.dateTime(createdAt)}</time>
        {ipAddress === null ? null : ` · ${ipAddress}`}
        {isOthers ? ` · ${text(actor === 'system' ? 'console.bySystem' : 'consolePeople.byAdministrator')}` : null}
        {result === 'failure' && !type.endsWith('_failed') ? ` · ${text('consolePeople.failed')}` : null}
      </span>
    </li>
  )
}
