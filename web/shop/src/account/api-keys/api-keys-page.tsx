import type { ApiKey, OwnUser } from '@platen/client'
import { Button, EmptyState, Icon, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { platen } from '../../session/platen.ts'
import { Failure } from '../../shell/failures/failure.tsx'
import { Loading } from '../../shell/loading.tsx'
import { notices } from '../../shell/notices.ts'
import { Page } from '../../shell/page.tsx'
import { RemoveDialog } from '../frame/remove-dialog.tsx'
import { Row, Rows } from '../frame/rows.tsx'
import { useAction } from '../frame/use-action.ts'
import { apiKeysQuery } from '../queries.ts'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { PERMISSIONS } from './permissions.ts'
import { ShownKeyDialog } from './shown-key-dialog.tsx'

/** The keys with which programs act for the customer. */
export function ApiKeysPage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const keys = useQuery(apiKeysQuery())
  const [isCreating, setCreating] = useState(false)
  const [shown, setShown] = useState<string>()
  if (keys.isError) return <Failure error={keys.error} onRetry={() => void keys.refetch()} />
  if (keys.data === undefined) return <Loading />
  const create = (
    <Button onPress={() => setCreating(true)}>
      <Icon name="plus" size={18} />
      {text('account.newKey')}
    </Button>
  )
  return (
    <Page title={text('account.apiKeys')} actions={keys.data.length === 0 ? null : create}>
      {keys.data.length === 0 ? (
        <EmptyState icon="key" title={text('account.noKeys')} action={create}>
          {text('account.apiKeysHelp')}
        </EmptyState>
      ) : (
        <>
          <p className="section-help">
            {text('account.apiKeysHelp')} <a href="/docs/reference">{text('account.apiReference')}</a>
          </p>
          <Rows label={text('account.apiKeys')}>
            {keys.data.map((key) => (
              <KeyRow key={key.id} apiKey={key} />
            ))}
          </Rows>
        </>
      )}
      {isCreating ? (
        <NewKeyDialog
          role={user.role}
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false)
            setShown(key)
          }}
        />
      ) : null}
      {shown === undefined ? null : <ShownKeyDialog apiKey={shown} onClose={() => setShown(undefined)} />}
    </Page>
  )
}

function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { text, formats } = useTexts()
  const { id, name, permissions, start, last4, createdAt, expiresAt, lastUsedAt } = apiKey
  const [isRemoving, setRemoving] = useState(false)
  const revoke = useAction(
    () => platen.apiKeys.revoke(id),
    () => notices.add({ text: text('account.keyRevoked', { name }), tone: 'good' }),
  )
  const isOver = expiresAt !== null && new Date(expiresAt).getTime() < Date.now()
  const expiry =
    expiresAt === null
      ? text('account.neverExpires')
      : text(isOver ? 'account.expiredOn' : 'account.expiresOn', { date: formats.date(expiresAt) })
  return (
    <>
      <Row
        icon="key"
        title={name}
        notes={[
          <code key="key">{`${start}…${last4}`}</code>,
          permissions.map((permission) => text(PERMISSIONS[permission])).join(', '),
          `${text('account.createdOn', { date: formats.date(createdAt) })} · ${expiry}`,
          lastUsedAt === null ? text('account.neverUsed') : text('account.lastUsed', { when: formats.ago(lastUsedAt) }),
        ]}
        action={
          <Button look="quiet" onPress={() => setRemoving(true)} aria-label={text('account.revokeKey', { name })}>
            {text('account.revoke')}
          </Button>
        }
      />
      {isRemoving ? (
        <RemoveDialog
          title={text('account.revokeKey', { name })}
          action={revoke}
          onClose={() => setRemoving(false)}
          confirmLabel={text('account.revoke')}
        >
          {text('account.revokeHelp')}
        </RemoveDialog>
      ) : null}
    </>
  )
}
