import { Loading, Page } from '@platen/app/frame'
import type { Event, OwnUser } from '@platen/client'
import { EmptyState, NativeSelect, TextField, useTexts } from '@platen/ui'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link } from 'wouter'
import { newEvents } from '../../live/new-events.ts'
import { markSeen } from '../../live/unread-events.ts'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { NewsBar } from '../../parts/table/news-bar.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { SearchField } from '../../parts/table/search-field.tsx'
import { noteOpened, usePlace } from '../../parts/table/use-place.ts'
import { type TableState, useTableState } from '../../parts/table/use-table-state.ts'
import { Time } from '../../parts/time.tsx'
import { Failure } from '../../shell/failure.tsx'
import { DevelopersViews } from '../developers-views.tsx'
import { DocsLink } from '../docs-link.tsx'
import { eventListQuery } from '../queries.ts'
import { EVENT_TYPES } from '../webhooks/event-types.ts'
import { type EventFilter, isFiltered, isWanted, queryOf } from './event-filter.ts'
import { SubjectLink } from './subject-link.tsx'

const PATH = '/developers/events'

/** The events of the shop, newest first. */
export function EventListPage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const state = useTableState<EventFilter>()
  const query = queryOf(state)
  const events = useQuery(eventListQuery(query))
  const rows = events.data?.data
  const lastOpened = usePlace(state.url, rows !== undefined)
  const columns = useColumns()
  const isNewest = state.isFirst && !isFiltered(query) && !events.isPlaceholderData
  useMarkSeen(user, isNewest ? rows?.[0]?.id : undefined)
  if (events.error !== null && rows === undefined) {
    return <Failure error={events.error} onRetry={() => void events.refetch()} />
  }
  return (
    <Page title={text('consoleDevelopers.eventLog')}>
      <DevelopersViews />
      <p className="note page-help">
        {text('consoleDevelopers.eventLogHelp')} {text('consoleDevelopers.eventsRead')}{' '}
        <DocsLink to="/docs/events" title="consoleDevelopers.eventsGuide" />
        {' · '}
        <DocsLink to="/docs/reference/events" title="account.apiReference" />
      </p>
      <Filters state={state} />
      {rows === undefined ? (
        <Loading />
      ) : (
        <>
          {state.isFirst ? (
            <NewsBar
              news={newEvents}
              rows={rows}
              isWanted={(event) => isWanted(query, event)}
              text={(count) => text('consoleDevelopers.newEvents', { count })}
              isFetching={events.isFetching}
              onShow={() => void events.refetch()}
            />
          ) : null}
          {rows.length === 0 ? (
            <EmptyState icon="history" title={text('consoleDevelopers.noEvents')}>
              {text('consoleDevelopers.noEventsHelp')}
            </EmptyState>
          ) : (
            <DataTable
              label={text('consoleDevelopers.eventLog')}
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              isStale={events.isPlaceholderData}
              current={lastOpened}
            />
          )}
          <Pager state={state} nextCursor={events.data?.nextCursor ?? null} />
        </>
      )}
    </Page>
  )
}

/** Marks the events of the log as seen, of which the newest is the given one. */
function useMarkSeen({ id: userId }: OwnUser, newest: string | undefined): void {
  const client = useQueryClient()
  useEffect(() => {
    if (newest !== undefined) markSeen(client, userId, newest)
  }, [client, userId, newest])
}

function Filters({ state }: { state: TableState<EventFilter> }) {
  const { text } = useTexts()
  const field = (name: EventFilter) => ({
    value: state.get(name),
    onChange: (value: string) => state.change({ [name]: value }),
  })
  return (
    <div className="filters labelled">
      <SearchField
        label={text('consoleDevelopers.subject')}
        hint={text('consoleDevelopers.subjectHint')}
        {...field('subject')}
      />
      <NativeSelect
        label={text('consoleDevelopers.event')}
        placeholder={text('consoleDevelopers.allEvents')}
        choices={EVENT_TYPES.map((id) => ({ id, text: id }))}
        {...field('type')}
      />
      <TextField label={text('console.fromDay')} type="date" {...field('from')} />
      <TextField label={text('console.toDay')} type="date" {...field('to')} />
    </div>
  )
}

function useColumns(): readonly Column<Event>[] {
  const { text } = useTexts()
  return [
    {
      id: 'type',
      title: text('consoleDevelopers.event'),
      cell: ({ id, type }) => (
        <>
          <Link href={`${PATH}/${id}`} className="row-link" data-row onClick={() => noteOpened(PATH, id)}>
            {type}
          </Link>
          <span className="cell-note from-45">{id}</span>
        </>
      ),
    },
    {
      id: 'subject',
      title: text('consoleDevelopers.subject'),
      from: 45,
      cell: ({ subject }) => <SubjectLink subject={subject} />,
    },
    {
      id: 'created',
      title: text('consoleDevelopers.created'),
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}
