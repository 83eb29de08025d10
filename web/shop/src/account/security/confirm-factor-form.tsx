import { platen } from '@platen/app/session'
import { Button, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { ErrorBanner } from '../frame/error-banner.tsx'
import { useAction } from '../frame/use-action.ts'

export interface ConfirmFactorFormProps {
  factorId: string
  label: string
  onDone(recoveryCodes: readonly string[] | undefined): void
}

/** Asks for the first code of a new second factor. */
export function ConfirmFactorForm({ factorId, label, onDone }: ConfirmFactorFormProps) {
  const { text } = useTexts()
  const [code, setCode] = useState('')
  const confirm = useAction(
    () => platen.auth.confirmFactor({ factorId, code: code.trim() }),
    ({ recoveryCodes }) => onDone(recoveryCodes),
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <form className="form" onSubmit={submit}>
      <ErrorBanner error={confirm.error} />
      <TextField
        label={label}
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        onChange={setCode}
        isRequired
      />
      <Button type="submit" look="primary" isPending={confirm.isPending}>
        {text('session.verify')}
      </Button>
    </form>
  )
}
