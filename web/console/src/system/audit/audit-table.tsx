import type { SecurityEvent } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { Pill } from '../../parts/pill.tsx'
import { textOfEvent } from '../../parts/security-events.ts'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Time } from '../../parts/time.tsx'

export function AuditTable({ events, isStale }: { events: readonly SecurityEvent[]; isStale: boolean }) {
  const { text } = useTexts()
  const columns: readonly Column<SecurityEvent>[] = [
    { id: 'event', title: text('consoleSystem.event'), cell: (event) => <EventCell event={event} /> },
    {
      id: 'account',
      title: text('consoleSystem.account'),
      from: 45,
      cell: (event) => <Account event={event} />,
    },
    {
      id: 'actor',
      title: text('consoleSystem.actor'),
      from: 60,
      cell: ({ actor, actorName, userId }) =>
        actor === userId ? text('consoleSystem.sameAccount') : <Person id={actor} name={actorName} />,
    },
    { id: 'ip', title: text('consoleSystem.ipAddress'), from: 75, cell: ({ ipAddress }) => ipAddress ?? '–' },
    { id: 'at', title: text('consoleSystem.time'), cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
  return (
    <DataTable
      label={text('consoleSystem.auditLog')}
      columns={columns}
      rows={events}
      keyOf={({ id }) => id}
      isStale={isStale}
    />
  )
}

/** Where the table is narrow, the account and the actor are below the event. */
function EventCell({ event }: { event: SecurityEvent }) {
  const { type, result, userId, actor, actorName, details } = event
  const { text } = useTexts()
  const facts = Object.entries(details).map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      <span className="cell-text">
        {text(textOfEvent(type))}{' '}
        {result === 'failure' ? <Pill tone="danger">{text('consoleSystem.failure')}</Pill> : null}
      </span>
      <span className="cell-note until-45">
        <Account event={event} />
      </span>
      {actor === userId ? null : (
        <span className="cell-note until-60">
          {text('consoleSystem.actor')}: <Person id={actor} name={actorName} />
        </span>
      )}
      <span className="cell-note audit-details">{[type, ...facts].join(' · ')}</span>
    </>
  )
}

/** Events of these types concern customers who have no account, and so no page of an account. */
const OF_CUSTOMERS = /^(customer|guest)_/

function Account({ event: { type, userId, userName } }: { event: SecurityEvent }) {
  const isCustomer = userId !== null && OF_CUSTOMERS.test(type) && type !== 'guest_claimed'
  if (!isCustomer) return <Person id={userId} name={userName} />
  const customerId = userId.replace('usr_', 'cus_')
  return <Named id={customerId} name={userName} href={`/customers/${customerId}`} />
}

/** The actor can also be the command line or the service. */
function Person({ id, name }: { id: string | null; name: string | null }) {
  const { text } = useTexts()
  if (id === null) return '–'
  if (id === 'system') return text('console.bySystem')
  if (id === 'operator') return text('consoleSystem.commandLine')
  return <Named id={id} name={name} href={`/people/${id}`} />
}

/** An erased account has no name and no page. */
function Named({ id, name, href }: { id: string; name: string | null; href: string }) {
  if (!name) return id
  return (
    <Link href={href} title={id}>
      {name}
    </Link>
  )
}
