import { PERMISSIONS, permissionsOf, useNewKey } from '@platen/app/security'
import { platen } from '@platen/app/session'
import type { ApiKey, OwnUser } from '@platen/client'
import { Checkbox, Select, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { DevelopersDialog } from '../developers-dialog.tsx'
import { OVERLAPS } from '../overlaps.ts'
import { useDevelopersAction } from '../use-developers-action.ts'

export interface NewKeyDialogProps {
  user: OwnUser
  onCreated(key: string | null): void
  onClose(): void
}

export function NewKeyDialog({ user, onCreated, onClose }: NewKeyDialogProps) {
  const { text } = useTexts()
  const { name, setName, permissions, toggle, expiryField, request } = useNewKey()
  const create = useDevelopersAction(async () => platen.apiKeys.create(request()), {
    onDone: ({ key }) => onCreated(key),
  })
  return (
    <DevelopersDialog
      title={text('account.newKey')}
      confirmLabel={text('account.createKey')}
      isDisabled={name.trim() === '' || permissions.length === 0}
      action={create}
      onConfirm={() => create.mutate()}
      onClose={onClose}
    >
      <TextField
        label={text('account.keyName')}
        description={text('account.keyNameHelp')}
        maxLength={100}
        value={name}
        onChange={setName}
        isRequired
        autoFocus
      />
      <fieldset className="pieces">
        <legend>{text('account.permissions')}</legend>
        {permissionsOf(user).map((permission) => (
          <Checkbox
            key={permission}
            isSelected={permissions.includes(permission)}
            onChange={(isChosen) => toggle(permission, isChosen)}
          >
            {text(PERMISSIONS[permission])}
          </Checkbox>
        ))}
      </fieldset>
      <Select {...expiryField} />
    </DevelopersDialog>
  )
}

export interface ReplaceKeyDialogProps {
  apiKey: ApiKey
  onReplaced(key: string | null): void
  onClose(): void
}

/** Replaces the secret of a key. The program that uses it can have time to change over. */
export function ReplaceKeyDialog({ apiKey: { id, name }, onReplaced, onClose }: ReplaceKeyDialogProps) {
  const { text } = useTexts()
  const [overlap, setOverlap] = useState('86400')
  const replace = useDevelopersAction(async () => platen.apiKeys.rotate(id, { overlapSeconds: Number(overlap) }), {
    onDone: ({ key }) => onReplaced(key),
  })
  return (
    <DevelopersDialog
      title={text('account.replaceKey', { name })}
      confirmLabel={text('account.replaceNow')}
      action={replace}
      onConfirm={() => replace.mutate()}
      onClose={onClose}
    >
      <p>{text('account.replaceHelp')}</p>
      <Select
        label={text('account.oldKeyEnds')}
        choices={OVERLAPS.map(({ id: seconds, text: key }) => ({ id: seconds, text: text(key) }))}
        value={overlap}
        onChange={setOverlap}
      />
    </DevelopersDialog>
  )
}

export function RevokeKeyDialog({ apiKey: { id, name }, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const { text } = useTexts()
  const revoke = useDevelopersAction(async () => platen.apiKeys.revoke(id), {
    done: text('account.keyRevoked', { name }),
    onDone: onClose,
  })
  return (
    <DevelopersDialog
      title={text('account.revokeKey', { name })}
      confirmLabel={text('account.revoke')}
      isDanger
      action={revoke}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>{text('account.revokeHelp')}</p>
    </DevelopersDialog>
  )
}
