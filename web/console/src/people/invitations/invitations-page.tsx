import { Loading, Page } from '@platen/app/frame'
import type { Invitation } from '@platen/client'
import { EmptyState, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Pill, type Tone } from '../../parts/pill.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { useTableState } from '../../parts/table/use-table-state.ts'
import { Time } from '../../parts/time.tsx'
import { Failure } from '../../shell/failure.tsx'
import { PeopleViews } from '../people-views.tsx'
import { invitationListQuery } from '../queries.ts'
import { RolePill } from '../role-pill.tsx'
import { InvitationActions } from './invitation-actions.tsx'
import { InviteButton } from './invite-button.tsx'

const PAGE_SIZE = 50

export function InvitationsPage() {
  const { text } = useTexts()
  const state = useTableState()
  const cursor = state.get('cursor')
  const invitations = useQuery(invitationListQuery({ limit: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) }))
  const rows = invitations.data?.data
  const columns = useColumns()
  if (invitations.error !== null && rows === undefined) {
    return <Failure error={invitations.error} onRetry={() => void invitations.refetch()} />
  }
  return (
    <Page title={text('consolePeople.invitations')} actions={<InviteButton />}>
      <PeopleViews />
      {rows === undefined ? (
        <Loading />
      ) : rows.length === 0 ? (
        <EmptyState icon="mail" title={text('consolePeople.noInvitations')}>
          {text('consolePeople.noInvitationsHelp')}
        </EmptyState>
      ) : (
        <DataTable
          label={text('consolePeople.invitations')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          isStale={invitations.isPlaceholderData}
        />
      )}
      <Pager state={state} nextCursor={invitations.data?.nextCursor ?? null} />
    </Page>
  )
}

const STATUS = {
  pending: { tone: 'info', text: 'consolePeople.invitationPending' },
  accepted: { tone: 'good', text: 'consolePeople.invitationAccepted' },
  expired: { tone: 'neutral', text: 'consolePeople.invitationExpired' },
  revoked: { tone: 'neutral', text: 'consolePeople.invitationRevoked' },
} as const satisfies Record<Invitation['status'], { tone: Tone; text: string }>

function useColumns(): readonly Column<Invitation>[] {
  const { text, formats } = useTexts()
  return [
    { id: 'email', title: text('consolePeople.email'), cell: ({ email }) => email },
    {
      id: 'status',
      title: text('console.status'),
      cell: ({ status }) => <Pill tone={STATUS[status].tone}>{text(STATUS[status].text)}</Pill>,
    },
    { id: 'role', title: text('consolePeople.role'), from: 30, cell: (invitation) => <RolePill of={invitation} /> },
    { id: 'sent', title: text('consolePeople.sent'), from: 60, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      id: 'until',
      title: text('consolePeople.validUntil'),
      from: 60,
      cell: ({ status, expiresAt }) => (status === 'pending' ? formats.date(expiresAt) : '–'),
    },
    {
      id: 'actions',
      title: text('consolePeople.actions'),
      isTitleHidden: true,
      cell: (invitation) => <InvitationActions invitation={invitation} />,
    },
  ]
}
