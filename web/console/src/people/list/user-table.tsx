import type { ManagedUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { Pill } from '../../parts/pill.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { noteOpened } from '../../parts/table/use-place.ts'
import { Time } from '../../parts/time.tsx'
import { RolePill } from '../role-pill.tsx'

export interface UserTableProps {
  users: readonly ManagedUser[]
  isStale: boolean
  lastOpened: string | undefined
}

export function UserTable({ users, isStale, lastOpened }: UserTableProps) {
  const { text } = useTexts()
  return (
    <DataTable
      label={text('console.people')}
      columns={useColumns()}
      rows={users}
      keyOf={({ id }) => id}
      isStale={isStale}
      current={lastOpened}
    />
  )
}

function useColumns(): readonly Column<ManagedUser>[] {
  const { text } = useTexts()
  return [
    { id: 'email', title: text('consolePeople.person'), cell: (user) => <PersonCell user={user} /> },
    { id: 'role', title: text('consolePeople.role'), cell: (user) => <RolePill of={user} /> },
    {
      id: 'factors',
      title: text('consolePeople.secondFactor'),
      from: 45,
      cell: ({ secondFactors }) => text(secondFactors.length === 0 ? 'consolePeople.off' : 'consolePeople.on'),
    },
    { id: 'external', title: text('consolePeople.externalId'), from: 75, cell: ({ externalId }) => externalId ?? '–' },
    { id: 'since', title: text('consolePeople.since'), from: 60, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

function PersonCell({ user: { id, email, name, disabled, emailVerified } }: { user: ManagedUser }) {
  const { text } = useTexts()
  return (
    <>
      <Link href={`/people/${id}`} className="row-link" data-row onClick={() => noteOpened('/people', id)}>
        {email}
      </Link>
      {name === null ? null : <span className="cell-note">{name}</span>}
      {disabled ? <Pill tone="danger">{text('consolePeople.disabled')}</Pill> : null}
      {emailVerified ? null : <span className="cell-note">{text('consolePeople.unverified')}</span>}
    </>
  )
}
