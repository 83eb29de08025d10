import { platen } from '@platen/app/session'
import type { Passkey } from '@platen/client'
import { Button, Dialog, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { ErrorBanner } from '../../frame/error-banner.tsx'
import { useAction } from '../../frame/use-action.ts'

export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const { text } = useTexts()
  const [name, setName] = useState(passkey.name)
  const rename = useAction(() => platen.auth.renamePasskey(passkey.id, { name: name.trim() }), onClose)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (name.trim() !== '') rename.mutate()
  }
  return (
    <Dialog title={text('shop.rename')} isOpen onClose={onClose} closeLabel={text('common.close')} size="small">
      <form className="form" onSubmit={submit}>
        <ErrorBanner error={rename.error} />
        <TextField
          label={text('account.passkeyName')}
          value={name}
          onChange={setName}
          maxLength={100}
          autoFocus
          isRequired
        />
        <Button type="submit" look="primary" isPending={rename.isPending}>
          {text('common.save')}
        </Button>
      </form>
    </Dialog>
  )
}
