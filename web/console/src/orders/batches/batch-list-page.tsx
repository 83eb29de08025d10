import { Loading, Page } from '@platen/app/frame'
import type { BatchSummary } from '@platen/client'
import { EmptyState, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { noteOpened, usePlace } from '../../parts/table/use-place.ts'
import { type TableState, useTableState } from '../../parts/table/use-table-state.ts'
import { Time } from '../../parts/time.tsx'
import { Failure } from '../../shell/failure.tsx'
import { batchName } from './batch-name.ts'
import { BatchProgress } from './batch-progress.tsx'
import { batchListQuery } from './queries.ts'

const PAGE_SIZE = 50

/** The open batches, or those that are done. */
export function BatchListPage() {
  const { text } = useTexts()
  const state = useTableState<'status'>()
  const cursor = state.get('cursor')
  const status = state.get('status') === 'done' ? 'done' : 'open'
  const batches = useQuery(batchListQuery({ status, limit: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) }))
  const rows = batches.data?.data
  const lastOpened = usePlace(state.url, rows !== undefined)
  const columns = useColumns()
  if (batches.error !== null && rows === undefined) {
    return <Failure error={batches.error} onRetry={() => void batches.refetch()} />
  }
  return (
    <Page title={text('console.batches')}>
      <Views state={state} status={status} />
      {rows === undefined ? (
        <Loading />
      ) : rows.length === 0 ? (
        <EmptyState icon="layers" title={text('console.noBatches')}>
          {text('console.noBatchesHelp')}
        </EmptyState>
      ) : (
        <DataTable
          label={text('console.batches')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          isStale={batches.isPlaceholderData}
          current={lastOpened}
        />
      )}
      <Pager state={state} nextCursor={batches.data?.nextCursor ?? null} />
    </Page>
  )
}

function Views({ state, status }: { state: TableState<'status'>; status: 'open' | 'done' }) {
  const { text } = useTexts()
  const views = [
    { name: 'open', value: undefined, title: text('console.batchesOpen') },
    { name: 'done', value: 'done', title: text('console.batchesDone') },
  ]
  return (
    <nav className="views" aria-label={text('console.viewsOfBatches')}>
      <ul>
        {views.map(({ name, value, title }) => (
          <li key={name}>
            <Link href={state.urlWith({ status: value })} {...(name === status ? { 'aria-current': 'page' } : {})}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function useColumns(): readonly Column<BatchSummary>[] {
  const texts = useTexts()
  const { text, formats } = texts
  return [
    {
      id: 'batch',
      title: text('console.batch'),
      cell: (batch) => (
        <Link
          href={`/batches/${batch.id}`}
          className="row-link"
          data-row
          onClick={() => noteOpened('/batches', batch.id)}
        >
          {batchName(texts, batch)}
        </Link>
      ),
    },
    { id: 'progress', title: text('console.bulkProgress'), cell: (batch) => <BatchProgress batch={batch} /> },
    {
      id: 'orders',
      title: text('console.orders'),
      isNumber: true,
      from: 45,
      cell: ({ orderCount }) => formats.number(orderCount),
    },
    { id: 'created', title: text('console.batchCreated'), from: 45, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}
