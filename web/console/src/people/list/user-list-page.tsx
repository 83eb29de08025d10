import { Loading, Page } from '@platen/app/frame'
import type { ListUsersQuery } from '@platen/client'
import { EmptyState, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Pager } from '../../parts/table/pager.tsx'
import { SearchField } from '../../parts/table/search-field.tsx'
import { usePlace } from '../../parts/table/use-place.ts'
import { type TableState, useTableState } from '../../parts/table/use-table-state.ts'
import { Failure } from '../../shell/failure.tsx'
import { InviteButton } from '../invitations/invite-button.tsx'
import { PeopleViews } from '../people-views.tsx'
import { userListQuery } from '../queries.ts'
import { UserTable } from './user-table.tsx'

type Filter = 'role' | 'disabled' | 'q'

export function UserListPage() {
  const { text } = useTexts()
  const state = useTableState<Filter>()
  const users = useQuery(userListQuery(queryOf(state)))
  const rows = users.data?.data
  const lastOpened = usePlace(state.url, rows !== undefined)
  if (users.error !== null && rows === undefined) {
    return <Failure error={users.error} onRetry={() => void users.refetch()} />
  }
  return (
    <Page title={text('console.people')} actions={<InviteButton />}>
      <PeopleViews />
      <div className="filters">
        <SearchField
          label={text('consolePeople.searchPeople')}
          hint={text('consolePeople.searchHint')}
          value={state.get('q')}
          onChange={(q) => state.change({ q })}
        />
      </div>
      {rows === undefined ? (
        <Loading />
      ) : (
        <>
          {rows.length === 0 ? (
            <EmptyState icon="user" title={text('consolePeople.noPeople')}>
              {text('consolePeople.noPeopleHelp')}
            </EmptyState>
          ) : (
            <UserTable users={rows} isStale={users.isPlaceholderData} lastOpened={lastOpened} />
          )}
          <Pager state={state} nextCursor={users.data?.nextCursor ?? null} />
        </>
      )}
    </Page>
  )
}

const PAGE_SIZE = 50
const ROLES = ['customer', 'operator', 'admin'] as const

/** Leaves out what the service would refuse, because a URL may have been typed. */
function queryOf(state: TableState<Filter>): ListUsersQuery {
  const role = ROLES.find((known) => known === state.get('role'))
  const [q, cursor] = [state.get('q').trim(), state.get('cursor')]
  return {
    limit: PAGE_SIZE,
    ...(role === undefined ? {} : { role }),
    ...(state.get('disabled') === 'true' ? { disabled: true } : {}),
    ...(q === '' ? {} : { q }),
    ...(cursor === '' ? {} : { cursor }),
  }
}
