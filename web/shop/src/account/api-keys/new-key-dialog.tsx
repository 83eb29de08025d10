import { PERMISSIONS, useNewKey } from '@platen/app/security'
import { platen } from '@platen/app/session'
import type { Permission } from '@platen/client'
import { Button, Checkbox, Dialog, Select, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { ErrorBanner } from '../frame/error-banner.tsx'
import { useAction } from '../frame/use-action.ts'

export interface NewKeyDialogProps {
  /** The permissions that the key may have. */
  allowed: readonly Permission[]
  onCreated(key: string): void
  onClose(): void
}

export function NewKeyDialog({ allowed, onCreated, onClose }: NewKeyDialogProps) {
  const { text } = useTexts()
  const { name, setName, permissions, toggle, expiryField, request } = useNewKey()
  const [isEmpty, setEmpty] = useState(false)
  const create = useAction(
    () => platen.apiKeys.create(request()),
    ({ key }) => onCreated(key ?? ''),
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (permissions.length === 0) setEmpty(true)
    else if (name.trim() !== '') create.mutate()
  }
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
                onChange={(isChosen) => {
                  setEmpty(false)
                  toggle(permission, isChosen)
                }}
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
        <Select {...expiryField} />
        <Button type="submit" look="primary" isPending={create.isPending}>
          {text('account.createKey')}
        </Button>
      </form>
    </Dialog>
  )
}
