import { textOfEvent } from '@platen/app/security'
import type { SecurityEvent } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { Pill } from '../../parts/pill.tsx'
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
      cell: ({ userId }) => <PersonCell id={userId} />,
    },
    {
      id: 'actor',
      title: text('consoleSystem.actor'),
      from: 60,
      cell: ({ actor, userId }) => (actor === userId ? text('consoleSystem.sameAccount') : <PersonCell id={actor} />),
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

function EventCell({ event }: { event: SecurityEvent }) {
  const { text } = useTexts()
  const details = Object.entries(event.details).map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      <span className="cell-text">
        {text(textOfEvent(event))}{' '}
        {event.result === 'failure' ? <Pill tone="danger">{text('consoleSystem.failure')}</Pill> : null}
      </span>
      <span className="cell-note audit-details">{[event.type, ...details].join(' · ')}</span>
    </>
  )
}

/** An account leads to its page. The actor can also be the command line or the service. */
function PersonCell({ id }: { id: string | null }) {
  const { text } = useTexts()
  if (id === null) return '–'
  if (id === 'system') return text('console.bySystem')
  if (id === 'operator') return text('consoleSystem.commandLine')
  return (
    <Link href={`/people/${id}`} className="audit-details">
      {id}
    </Link>
  )
}
