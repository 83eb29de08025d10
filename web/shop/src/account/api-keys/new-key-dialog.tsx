import { PERMISSIONS } from '@platen/app/security'
import { platen } from '@platen/app/session'
import type { Permission } from '@platen/client'
import { Button, Checkbox, Dialog, Select, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { ErrorBanner } from '../frame/error-banner.tsx'
import { useAction } from '../frame/use-action.ts'

const DAY_MS = 86_400_000

/** Days until a key expires. */
const LIFETIMES = ['30', '90', '365', 'never'] as const
type Lifetime = (typeof LIFETIMES)[number]

export interface NewKeyDialogProps {
  /** The permissions that the key may have. */
  allowed: readonly Permission[]
  onCreated(key: string): void
  onClose(): void
}

export function NewKeyDialog({ allowed, onCreated, onClose }: NewKeyDialogProps) {
  const { text } = useTexts()
  const [name, setName] = useState('')
  const [permissions, setPermissions] = useState<readonly Permission[]>([])
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const [isEmpty, setEmpty] = useState(false)
  const create = useAction(
    () => {
      const expiresAt = lifetime === 'never' ? {} : { expiresAt: new Date(Date.now() + Number(lifetime) * DAY_MS) }
      return platen.apiKeys.create({
        name: name.trim(),
        permissions: [...permissions],
        ...('expiresAt' in expiresAt ? { expiresAt: expiresAt.expiresAt.toISOString() } : {}),
      })
    },
    ({ key }) => onCreated(key ?? ''),
  )
  const toggle = (permission: Permission, isChosen: boolean): void => {
    setEmpty(false)
    setPermissions((before) => (isChosen ? [...before, permission] : before.filter((one) => one !== permission)))
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (permissions.length === 0) setEmpty(true)
    else if (name.trim() !== '') create.mutate()
  }
  const choices = LIFETIMES.map((id) => ({
    id,
    text: id === 'never' ? text('account.noExpiry') : text('account.days', { count: Number(id) }),
  }))
  return (
    <Dialog title={text('account.newKey')} isOpen staysOpen onClose={onClose} closeLabel={text('common.cancel')}>
      <form className="form" onSubmit={submit}>
        <ErrorBanner error={create.error} />
        <TextField
          label={text('account.keyName')}
          description={text('account.keyNameHelp')}
          maxLength={100}
          value={name}
          onChange={setName}
          isRequired
          autoFocus
        />
        <fieldset className="scope-choices">
          <legend className="pl-label">{text('account.permissions')}</legend>
          <div className="choices-list">
            {allowed.map((permission) => (
              <Checkbox
                key={permission}
                isSelected={permissions.includes(permission)}
                onChange={(isChosen) => toggle(permission, isChosen)}
              >
                {text(PERMISSIONS[permission])}
              </Checkbox>
            ))}
          </div>
          {isEmpty ? (
            <p className="pl-field-error" role="alert">
              {text('account.choosePermission')}
            </p>
          ) : null}
        </fieldset>
        <Select
          label={text('account.expires')}
          choices={choices}
          value={lifetime}
          onChange={(id) => setLifetime(LIFETIMES.find((known) => known === id) ?? '90')}
        />
        <Button type="submit" look="primary" isPending={create.isPending}>
          {text('account.createKey')}
        </Button>
      </form>
    </Dialog>
  )
}
