import { saveFile } from '@platen/app/files'
import { Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { OwnUser } from '@platen/client'
import { Button, Icon, ProgressBar, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorBanner } from '../frame/error-banner.tsx'
import { Section } from '../frame/section.tsx'
import { useAction } from '../frame/use-action.ts'
import { storageQuery } from '../queries.ts'
import { DeletionDialog } from './deletion-dialog.tsx'

/** What the shop stores about the customer. */
export function DataPage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const [isDeleting, setDeleting] = useState(false)
  const save = useAction(
    () => platen.me.export(),
    (data) => saveFile('account.json', 'application/json', `${JSON.stringify(data, null, 2)}\n`),
  )
  return (
    <Page title={text('account.data')}>
      <Storage />
      <Section
        title={text('account.export')}
        help={text('account.exportHelp')}
        action={
          <Button isPending={save.isPending} onPress={() => save.mutate()}>
            <Icon name="download" size={18} />
            {text('account.download')}
          </Button>
        }
      >
        <ErrorBanner error={save.error} />
      </Section>
      <Section
        title={text('account.deletion')}
        help={text('account.deletionHelp')}
        action={
          <Button look="danger" onPress={() => setDeleting(true)}>
            {text('account.deleteAccount')}
          </Button>
        }
      />
      {isDeleting ? <DeletionDialog email={user.email} onClose={() => setDeleting(false)} /> : null}
    </Page>
  )
}

function Storage() {
  const { text, formats } = useTexts()
  const { data } = useQuery(storageQuery())
  if (data === undefined || data.quota === null) return null
  const { used, quota } = data
  return (
    <Section title={text('account.storage')} help={text('account.storageHelp')}>
      <ProgressBar
        label={text('account.storageUsed')}
        value={(used / quota) * 100}
        valueLabel={text('account.storageOf', { used: formats.bytes(used), quota: formats.bytes(quota) })}
      />
    </Section>
  )
}
