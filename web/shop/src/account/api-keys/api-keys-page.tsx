import { Loading, Page } from '@platen/app/frame'
import { permissionsOf } from '@platen/app/security'
import type { OwnUser } from '@platen/client'
import { Button, EmptyState, Icon, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure } from '../../shell/failures/failure.tsx'
import { Rows } from '../frame/rows.tsx'
import { apiKeysQuery } from '../queries.ts'
import { KeyRow } from './key-row.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
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
              <KeyRow key={key.id} apiKey={key} onReplaced={setShown} />
            ))}
          </Rows>
        </>
      )}
      {isCreating ? (
        <NewKeyDialog
          allowed={permissionsOf(user)}
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
