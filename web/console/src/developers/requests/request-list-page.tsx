import { Loading, Page } from '@platen/app/frame'
import type { RequestLogEntry } from '@platen/client'
import { EmptyState, NativeSelect, TextField, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { SearchField } from '../../parts/table/search-field.tsx'
import { noteOpened, usePlace } from '../../parts/table/use-place.ts'
import { type TableState, useTableState } from '../../parts/table/use-table-state.ts'
import { Time } from '../../parts/time.tsx'
import { Failure } from '../../shell/failure.tsx'
import { DevelopersViews } from '../developers-views.tsx'
import { DocsLink } from '../docs-link.tsx'
import { requestListQuery } from '../queries.ts'
import { queryOf, type RequestFilter, STATUSES } from './request-filter.ts'
import { RequestStatus } from './request-status.tsx'

const PATH = '/developers/requests'

/** The API requests of the last days, newest first. */
export function RequestListPage() {
  const { text } = useTexts()
  const state = useTableState<RequestFilter>()
  const requests = useQuery(requestListQuery(queryOf(state)))
  const rows = requests.data?.data
  const lastOpened = usePlace(state.url, rows !== undefined)
  const columns = useColumns()
  if (requests.error !== null && rows === undefined) {
    return <Failure error={requests.error} onRetry={() => void requests.refetch()} />
  }
  return (
    <Page title={text('consoleDevelopers.requests')}>
      <DevelopersViews />
      <p className="note page-help">
        {text('consoleDevelopers.requestsHelp')}{' '}
        <DocsLink to="/docs/api-design#errors" title="consoleDevelopers.errorsGuide" />
        {' · '}
        <DocsLink to="/docs/reference/system#listRequestLog" title="account.apiReference" />
      </p>
      <Filters state={state} />
      {rows === undefined ? (
        <Loading />
      ) : (
        <>
          {rows.length === 0 ? (
            <EmptyState icon="history" title={text('consoleDevelopers.noRequests')}>
              {text('consoleDevelopers.noRequestsHelp')}
            </EmptyState>
          ) : (
            <div className="request-log">
              <DataTable
                label={text('consoleDevelopers.requests')}
                columns={columns}
                rows={rows}
                keyOf={({ id }) => id}
                isStale={requests.isPlaceholderData}
                current={lastOpened}
              />
            </div>
          )}
          <Pager state={state} nextCursor={requests.data?.nextCursor ?? null} />
        </>
      )}
    </Page>
  )
}

function Filters({ state }: { state: TableState<RequestFilter> }) {
  const { text } = useTexts()
  const field = (name: RequestFilter) => ({
    value: state.get(name),
    onChange: (value: string) => state.change({ [name]: value }),
  })
  const status = state.get('status')
  const isOther = status !== '' && !STATUSES.some((known) => known === status)
  return (
    <div className="filters labelled request-filters">
      <SearchField
        label={text('consoleDevelopers.requestId')}
        hint={text('consoleDevelopers.requestIdHint')}
        {...field('id')}
      />
      <NativeSelect
        label={text('console.status')}
        placeholder={text('consoleDevelopers.allStatuses')}
        choices={[...STATUSES, ...(isOther ? [status] : [])].map((id) => ({ id, text: id }))}
        {...field('status')}
      />
      <TextField label={text('consoleDevelopers.path')} {...field('route')} />
      <TextField label={text('consoleDevelopers.accountId')} {...field('user')} />
      <TextField label={text('consoleDevelopers.keyId')} {...field('key')} />
      <TextField label={text('console.fromDay')} type="date" {...field('from')} />
      <TextField label={text('console.toDay')} type="date" {...field('to')} />
    </div>
  )
}

function useColumns(): readonly Column<RequestLogEntry>[] {
  const { text, formats } = useTexts()
  return [
    {
      id: 'request',
      title: text('consoleDevelopers.request'),
      cell: ({ id, method, route }) => (
        <>
          <Link href={`${PATH}/${id}`} className="row-link" data-row onClick={() => noteOpened(PATH, id)}>
            {method} {route ?? text('consoleDevelopers.unknownPath')}
          </Link>
          <span className="cell-note from-45">{id}</span>
        </>
      ),
    },
    {
      id: 'status',
      title: text('console.status'),
      cell: ({ status, problem }) => (
        <>
          <RequestStatus status={status} />
          {problem === null ? null : <span className="cell-note from-45">{problem}</span>}
        </>
      ),
    },
    {
      id: 'caller',
      title: text('consoleDevelopers.caller'),
      from: 60,
      cell: ({ caller }) => caller?.userId ?? (caller === null ? text('consoleDevelopers.anonymous') : '–'),
    },
    {
      id: 'duration',
      title: text('consoleDevelopers.responseTime'),
      from: 60,
      isNumber: true,
      cell: ({ durationMs }) => text('consoleDevelopers.milliseconds', { count: formats.number(durationMs) }),
    },
    { id: 'ended', title: text('consoleDevelopers.time'), cell: ({ endedAt }) => <Time at={endedAt} /> },
  ]
}
