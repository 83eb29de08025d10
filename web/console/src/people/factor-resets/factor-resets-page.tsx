import { Loading, Page } from '@platen/app/frame'
import type { FactorReset, OwnUser } from '@platen/client'
import { EmptyState, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { useTableState } from '../../parts/table/use-table-state.ts'
import { Time } from '../../parts/time.tsx'
import { Failure } from '../../shell/failure.tsx'
import { PeopleViews } from '../people-views.tsx'
import { factorResetListQuery } from '../queries.ts'
import { UserName } from '../user-name.tsx'
import { ResetActions } from './reset-actions.tsx'
import { ResetStatus } from './reset-status.tsx'

const PAGE_SIZE = 20

/** The requests to remove lost second factors. Those that wait need another administrator. */
export function FactorResetsPage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const state = useTableState()
  const cursor = state.get('cursor')
  const resets = useQuery(factorResetListQuery({ limit: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) }))
  const rows = resets.data?.data
  const columns = useColumns(user)
  if (resets.error !== null && rows === undefined) {
    return <Failure error={resets.error} onRetry={() => void resets.refetch()} />
  }
  return (
    <Page title={text('consolePeople.factorResets')}>
      <PeopleViews />
      <p className="note">{text('consolePeople.factorResetsHelp')}</p>
      {rows === undefined ? (
        <Loading />
      ) : rows.length === 0 ? (
        <EmptyState icon="key" title={text('consolePeople.noResets')}>
          {text('consolePeople.noResetsHelp')}
        </EmptyState>
      ) : (
        <DataTable
          label={text('consolePeople.factorResets')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          isStale={resets.isPlaceholderData}
        />
      )}
      <Pager state={state} nextCursor={resets.data?.nextCursor ?? null} />
    </Page>
  )
}

function useColumns(viewer: OwnUser): readonly Column<FactorReset>[] {
  const { text } = useTexts()
  return [
    { id: 'person', title: text('consolePeople.person'), cell: ({ userId }) => <UserName userId={userId} /> },
    { id: 'status', title: text('console.status'), cell: (reset) => <ResetStatus reset={reset} /> },
    {
      id: 'by',
      title: text('consolePeople.requestedBy'),
      from: 60,
      cell: ({ startedBy }) => <UserName userId={startedBy} />,
    },
    { id: 'at', title: text('consolePeople.requested'), from: 60, cell: ({ startedAt }) => <Time at={startedAt} /> },
    {
      id: 'actions',
      title: text('consolePeople.actions'),
      isTitleHidden: true,
      cell: (reset) => <ResetActions reset={reset} viewer={viewer} />,
    },
  ]
}
