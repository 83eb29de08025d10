import { Loading, MoreTexts, Page } from '@platen/app/frame'
import type { StorageAccount } from '@platen/client'
import { Button, EmptyState, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { kindText } from '../../customers/kind-text.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Facts, Section } from '../../parts/page/section.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { useTableState } from '../../parts/table/use-table-state.ts'
import { Failure } from '../../shell/failure.tsx'
import { storageAccountListQuery, storageQuery } from '../../storage/queries.ts'
import { QuotaDialog } from '../../storage/quota-dialog.tsx'
import { quotaText } from '../../storage/quota-text.ts'
import { SettingsViews } from '../settings-views.tsx'

const PAGE_SIZE = 50

/** What the shop stores, and who stores the most. */
export function StoragePage() {
  return (
    <MoreTexts groups={['consoleStorage']}>
      <Storage />
    </MoreTexts>
  )
}

function Storage() {
  const { text } = useTexts()
  const state = useTableState()
  const cursor = state.get('cursor')
  const accounts = useQuery(storageAccountListQuery({ limit: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) }))
  const [changed, setChanged] = useState<StorageAccount>()
  const columns = useColumns(setChanged)
  const rows = accounts.data?.data
  useShortcuts(
    (rows ?? []).map((account) => ({
      title: 'consoleStorage.changeQuota',
      of: nameOf(account),
      run: () => setChanged(account),
    })),
  )
  if (accounts.error !== null && rows === undefined) {
    return <Failure error={accounts.error} onRetry={() => void accounts.refetch()} />
  }
  return (
    <Page title={text('consoleStorage.storage')}>
      <SettingsViews />
      <Totals />
      {rows === undefined ? <Loading /> : null}
      {rows?.length === 0 ? <EmptyState icon="layers" title={text('consoleStorage.nothingStored')} /> : null}
      {rows === undefined || rows.length === 0 ? null : (
        <DataTable
          label={text('consoleStorage.byAccount')}
          columns={columns}
          rows={rows}
          keyOf={({ userId }) => userId}
          isStale={accounts.isPlaceholderData}
        />
      )}
      <Pager state={state} nextCursor={accounts.data?.nextCursor ?? null} />
      {changed === undefined ? null : <QuotaDialog account={changed} onClose={() => setChanged(undefined)} />}
    </Page>
  )
}

function Totals() {
  const texts = useTexts()
  const { text, formats } = texts
  const totals = useQuery(storageQuery()).data
  if (totals === undefined) return null
  return (
    <div className="storage-totals">
      <Section title={text('consoleStorage.shop')}>
        <Facts
          facts={[
            [text('consoleStorage.usedByAll'), formats.bytes(totals.used)],
            [text('consoleStorage.defaultQuota'), quotaText(texts, totals.defaultQuota)],
          ]}
        />
        <p className="note">{text('consoleStorage.help')}</p>
      </Section>
    </div>
  )
}

function useColumns(change: (account: StorageAccount) => void): readonly Column<StorageAccount>[] {
  const texts = useTexts()
  const { text, formats } = texts
  const kindOf = ({ kind }: StorageAccount): string =>
    kindText(texts, { hasAccount: kind === 'account', guest: kind === 'guest' })
  return [
    { id: 'account', title: text('consoleStorage.account'), cell: (account) => <AccountCell account={account} /> },
    { id: 'kind', title: text('console.kindOfCustomer'), from: 60, cell: kindOf },
    { id: 'used', title: text('consoleStorage.used'), isNumber: true, cell: ({ used }) => formats.bytes(used) },
    {
      id: 'quota',
      title: text('consoleStorage.quota'),
      isNumber: true,
      from: 30,
      cell: ({ quota, storageQuota }) => (
        <>
          {quotaText(texts, quota)}
          {storageQuota === null ? null : <span className="cell-note">{text('consoleStorage.own')}</span>}
        </>
      ),
    },
    {
      id: 'change',
      title: text('consoleStorage.changeQuota'),
      isTitleHidden: true,
      from: 45,
      cell: (account) => (
        <Button look="quiet" onPress={() => change(account)}>
          {text('consoleStorage.changeQuota')}
          <span className="visually-hidden"> {nameOf(account)}</span>
        </Button>
      ),
    },
  ]
}

const nameOf = ({ name, email, userId }: StorageAccount): string => name ?? email ?? userId

function AccountCell({ account }: { account: StorageAccount }) {
  const { kind, userId, customerId, name, email } = account
  return (
    <>
      <Link
        href={kind === 'account' ? `/people/${userId}` : `/customers/${customerId}`}
        className="row-link wraps"
        data-row
      >
        {nameOf(account)}
      </Link>
      {name === null || email === null ? null : <span className="cell-note">{email}</span>}
    </>
  )
}
