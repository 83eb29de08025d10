import { PERMISSIONS, permissionsOf } from '@platen/app/security'
import { platen } from '@platen/app/session'
import type { ApiKey, OwnUser, Permission } from '@platen/client'
import { Checkbox, Select, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { DevelopersDialog } from '../developers-dialog.tsx'
import { OVERLAPS } from '../overlaps.ts'
import { useDevelopersAction } from '../use-developers-action.ts'

const DAY_MS = 86_400_000

/** Days until a key expires. */
const LIFETIMES = ['30', '90', '365', 'never']

export interface NewKeyDialogProps {
  user: OwnUser
  onCreated(key: string | null): void
  onClose(): void
}

export function NewKeyDialog({ user, onCreated, onClose }: NewKeyDialogProps) {
  const { text } = useTexts()
  const [name, setName] = useState('')
  const [permissions, setPermissions] = useState<readonly Permission[]>([])
  const [lifetime, setLifetime] = useState('90')
  const create = useDevelopersAction(
    async () =>
      platen.apiKeys.create({
        name: name.trim(),
        permissions: [...permissions],
        ...(lifetime === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString() }),
      }),
    { onDone: ({ key }) => onCreated(key) },
  )
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
            onChange={(isOn) =>
              setPermissions(isOn ? [...permissions, permission] : permissions.filter((one) => one !== permission))
            }
          >
            {text(PERMISSIONS[permission])}
          </Checkbox>
        ))}
      </fieldset>
      <Select
        label={text('account.expires')}
        choices={LIFETIMES.map((id) => ({
          id,
          text: id === 'never' ? text('account.noExpiry') : text('account.days', { count: Number(id) }),
        }))}
        value={lifetime}
        onChange={setLifetime}
      />
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
