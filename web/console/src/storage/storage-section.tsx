import { MoreTexts } from '@platen/app/frame'
import { Button, Skeleton, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useShortcuts } from '../keys/shortcuts.ts'
import { Section } from '../parts/page/section.tsx'
import { problemText } from '../shell/problem-text.ts'
import { storageAccountQuery } from './queries.ts'
import { QuotaDialog } from './quota-dialog.tsx'
import { StorageUse } from './storage-use.tsx'

/** What an account or a customer stores, on a page about it. For administrators. */
export function StorageSection({ accountId }: { accountId: string }) {
  return (
    <MoreTexts groups={['consoleStorage']}>
      <StorageOf accountId={accountId} />
    </MoreTexts>
  )
}

function StorageOf({ accountId }: { accountId: string }) {
  const texts = useTexts()
  const { text } = texts
  const account = useQuery(storageAccountQuery(accountId))
  const [isOpen, setOpen] = useState(false)
  useShortcuts(account.data === undefined ? [] : [{ title: 'consoleStorage.changeQuota', run: () => setOpen(true) }])
  return (
    <Section title={text('consoleStorage.storage')}>
      {account.error === null ? null : <p role="alert">{problemText(texts, account.error)}</p>}
      {account.data === undefined && account.error === null ? <Skeleton shape="block" /> : null}
      {account.data === undefined ? null : (
        <div className="storage-use">
          <StorageUse account={account.data} />
          <p className="note">
            {text(account.data.storageQuota === null ? 'consoleStorage.hasDefault' : 'consoleStorage.hasOwn')}
          </p>
          <Button onPress={() => setOpen(true)}>{text('consoleStorage.changeQuota')}</Button>
        </div>
      )}
      {isOpen && account.data !== undefined ? (
        <QuotaDialog account={account.data} onClose={() => setOpen(false)} />
      ) : null}
    </Section>
  )
}
