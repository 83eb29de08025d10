import { notices } from '@platen/app/frame'
import { PERMISSIONS } from '@platen/app/security'
import { platen } from '@platen/app/session'
import type { ApiKey } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useState } from 'react'
import { RemoveDialog } from '../frame/remove-dialog.tsx'
import { Row } from '../frame/rows.tsx'
import { useAction } from '../frame/use-action.ts'
import { ReplaceKeyDialog } from './replace-key-dialog.tsx'

export interface KeyRowProps {
  apiKey: ApiKey
  /** Gets the new key, which is shown once. */
  onReplaced(key: string): void
}

/** An API key in the list, and what can be done with it. */
export function KeyRow({ apiKey, onReplaced }: KeyRowProps) {
  const { text, formats } = useTexts()
  const { id, name, permissions, start, last4, createdAt, expiresAt, lastUsedAt } = apiKey
  const [asks, setAsks] = useState<'replace' | 'revoke'>()
  const close = (): void => setAsks(undefined)
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
          <div className="row">
            {isOver ? null : (
              <Button look="quiet" onPress={() => setAsks('replace')} aria-label={text('account.replaceKey', { name })}>
                {text('account.replace')}
              </Button>
            )}
            <Button look="quiet" onPress={() => setAsks('revoke')} aria-label={text('account.revokeKey', { name })}>
              {text('account.revoke')}
            </Button>
          </div>
        }
      />
      {asks === 'replace' ? (
        <ReplaceKeyDialog
          apiKey={apiKey}
          onClose={close}
          onReplaced={(key) => {
            close()
            onReplaced(key)
          }}
        />
      ) : null}
      {asks === 'revoke' ? (
        <RemoveDialog
          title={text('account.revokeKey', { name })}
          action={revoke}
          onClose={close}
          confirmLabel={text('account.revoke')}
        >
          {text('account.revokeHelp')}
        </RemoveDialog>
      ) : null}
    </>
  )
}
