import { Loading, Page } from '@platen/app/frame'
import { PERMISSIONS } from '@platen/app/security'
import type { ApiKey, OwnUser } from '@platen/client'
import { Button, EmptyState, Icon, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Time } from '../../parts/time.tsx'
import { Failure } from '../../shell/failure.tsx'
import { DevelopersViews } from '../developers-views.tsx'
import { DocsLink } from '../docs-link.tsx'
import { apiKeysQuery } from '../queries.ts'
import { SecretDialog } from '../secret-dialog.tsx'
import { NewKeyDialog, ReplaceKeyDialog, RevokeKeyDialog } from './key-dialogs.tsx'

type Open = { does: 'create' } | { does: 'replace' | 'revoke'; apiKey: ApiKey }

/** The keys with which programs act for the user. */
export function ApiKeysPage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const keys = useQuery(apiKeysQuery())
  const [open, setOpen] = useState<Open>()
  const [secret, setSecret] = useState<{ value: string | null }>()
  const columns = useColumns(setOpen)
  const create = (): void => setOpen({ does: 'create' })
  useShortcuts([
    { keys: 'n', title: 'account.newKey', run: create },
    ...(keys.data ?? []).flatMap((apiKey) => [
      { title: 'account.replace' as const, of: apiKey.name, run: () => setOpen({ does: 'replace', apiKey }) },
      { title: 'account.revoke' as const, of: apiKey.name, run: () => setOpen({ does: 'revoke', apiKey }) },
    ]),
  ])
  if (keys.error !== null && keys.data === undefined) {
    return <Failure error={keys.error} onRetry={() => void keys.refetch()} />
  }
  const close = (): void => setOpen(undefined)
  const show = (value: string | null): void => {
    close()
    setSecret({ value })
  }
  return (
    <Page
      title={text('consoleDevelopers.apiKeys')}
      actions={
        <Button look="primary" onPress={create}>
          <Icon name="plus" size={18} />
          {text('account.newKey')}
        </Button>
      }
    >
      <DevelopersViews />
      <p className="note page-help">
        {text('account.apiKeysHelp')}{' '}
        <DocsLink to="/docs/sign-in#permissions" title="consoleDevelopers.permissionsGuide" />
        {' · '}
        <DocsLink to="/docs/reference/api-keys" title="account.apiReference" />
      </p>
      {keys.data === undefined ? (
        <Loading />
      ) : keys.data.length === 0 ? (
        <EmptyState icon="key" title={text('account.noKeys')}>
          {text('consoleDevelopers.noKeysHelp')}
        </EmptyState>
      ) : (
        <DataTable
          label={text('consoleDevelopers.apiKeys')}
          columns={columns}
          rows={keys.data}
          keyOf={({ id }) => id}
        />
      )}
      {open?.does === 'create' ? <NewKeyDialog user={user} onCreated={show} onClose={close} /> : null}
      {open?.does === 'replace' ? <ReplaceKeyDialog apiKey={open.apiKey} onReplaced={show} onClose={close} /> : null}
      {open?.does === 'revoke' ? <RevokeKeyDialog apiKey={open.apiKey} onClose={close} /> : null}
      {secret === undefined ? null : (
        <SecretDialog
          title={text('account.yourKey')}
          secret={secret.value}
          help={text('account.keyShown')}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Page>
  )
}

function useColumns(setOpen: (open: Open) => void): readonly Column<ApiKey>[] {
  const { text, formats } = useTexts()
  return [
    {
      id: 'name',
      title: text('account.keyName'),
      cell: ({ name, start, last4, lastUsedAt }) => (
        <>
          <span className="cell-text">{name}</span>
          <code className="cell-note">{`${start}…${last4}`}</code>
          <span className="cell-note until-30">
            {lastUsedAt === null
              ? text('account.neverUsed')
              : text('account.lastUsed', { when: formats.ago(lastUsedAt) })}
          </span>
        </>
      ),
    },
    {
      id: 'permissions',
      title: text('account.permissions'),
      from: 60,
      cell: ({ permissions }) => permissions.map((permission) => text(PERMISSIONS[permission])).join(', '),
    },
    {
      id: 'used',
      title: text('consoleDevelopers.lastUsed'),
      from: 30,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? text('account.neverUsed') : <Time at={lastUsedAt} />),
    },
    {
      id: 'expires',
      title: text('account.expires'),
      from: 75,
      cell: ({ expiresAt }) => (expiresAt === null ? text('account.noExpiry') : formats.date(expiresAt)),
    },
    {
      id: 'actions',
      title: text('consoleDevelopers.actions'),
      isTitleHidden: true,
      cell: (apiKey) => (
        <div className="actions key-actions">
          <Button
            look="quiet"
            aria-label={text('account.replaceKey', { name: apiKey.name })}
            onPress={() => setOpen({ does: 'replace', apiKey })}
          >
            {text('account.replace')}
          </Button>
          <Button
            look="quiet"
            aria-label={text('account.revokeKey', { name: apiKey.name })}
            onPress={() => setOpen({ does: 'revoke', apiKey })}
          >
            {text('account.revoke')}
          </Button>
        </div>
      ),
    },
  ]
}
