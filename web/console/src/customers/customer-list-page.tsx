import { Loading, MoreTexts, Page } from '@platen/app/frame'
import type { Customer, OwnUser } from '@platen/client'
import { Button, EmptyState, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { mayUse } from '../access/may-use.ts'
import { NewCustomerDialog } from '../orders/new/customer-choice.tsx'
import { type Column, DataTable } from '../parts/table/data-table.tsx'
import { Pager } from '../parts/table/pager.tsx'
import { SearchField } from '../parts/table/search-field.tsx'
import { noteOpened, usePlace } from '../parts/table/use-place.ts'
import { useTableState } from '../parts/table/use-table-state.ts'
import { Time } from '../parts/time.tsx'
import { Failure } from '../shell/failure.tsx'
import { kindText } from './kind-text.ts'
import { customerListQuery } from './queries.ts'

const PAGE_SIZE = 50

export function CustomerListPage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const state = useTableState<'q'>()
  const [q, cursor] = [state.get('q').trim(), state.get('cursor')]
  const customers = useQuery(
    customerListQuery({ limit: PAGE_SIZE, ...(q === '' ? {} : { q }), ...(cursor === '' ? {} : { cursor }) }),
  )
  const rows = customers.data?.data
  const lastOpened = usePlace(state.url, rows !== undefined)
  const columns = useColumns()
  if (customers.error !== null && rows === undefined) {
    return <Failure error={customers.error} onRetry={() => void customers.refetch()} />
  }
  return (
    <Page title={text('console.customers')} actions={mayUse(user, 'customers:write') ? <AddCustomer /> : null}>
      <div className="filters">
        <SearchField
          label={text('console.searchCustomers')}
          hint={text('console.searchCustomersHint')}
          value={state.get('q')}
          onChange={(words) => state.change({ q: words })}
        />
      </div>
      {rows === undefined ? (
        <Loading />
      ) : rows.length === 0 ? (
        <EmptyState icon="user" title={text('console.noCustomers')}>
          {text('console.noCustomersHelp')}
        </EmptyState>
      ) : (
        <DataTable
          label={text('console.customers')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          isStale={customers.isPlaceholderData}
          current={lastOpened}
        />
      )}
      <Pager state={state} nextCursor={customers.data?.nextCursor ?? null} />
    </Page>
  )
}

/** Adds a customer, and goes to the page from which an order can be placed. */
function AddCustomer() {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>{text('console.addCustomer')}</Button>
      {isOpen ? (
        <MoreTexts groups={['consoleNewOrder']} fallback={null}>
          <NewCustomerDialog onClose={() => setOpen(false)} onDone={(id) => navigate(`/customers/${id}`)} />
        </MoreTexts>
      ) : null}
    </>
  )
}

function useColumns(): readonly Column<Customer>[] {
  const texts = useTexts()
  const { text } = texts
  return [
    { id: 'customer', title: text('console.customer'), cell: (customer) => <CustomerCell customer={customer} /> },
    { id: 'kind', title: text('console.kindOfCustomer'), from: 30, cell: (customer) => kindText(texts, customer) },
    {
      id: 'external',
      title: text('console.externalId'),
      from: 60,
      cell: ({ externalId }) => externalId ?? '–',
    },
    { id: 'since', title: text('console.since'), from: 45, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

function CustomerCell({ customer: { id, name, email, externalId } }: { customer: Customer }) {
  return (
    <>
      <Link href={`/customers/${id}`} className="row-link" data-row onClick={() => noteOpened('/customers', id)}>
        {name ?? email ?? externalId ?? id}
      </Link>
      {name === null || email === null ? null : <span className="cell-note">{email}</span>}
    </>
  )
}
