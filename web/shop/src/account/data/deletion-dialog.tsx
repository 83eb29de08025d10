import { notices } from '@platen/app/frame'
import { platen, session } from '@platen/app/session'
import { Button, Dialog, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { ErrorBanner } from '../frame/error-banner.tsx'
import { useAction } from '../frame/use-action.ts'

/** Deletes the account after the customer has typed its email address, because nothing brings it back. */
export function DeletionDialog({ email, onClose }: { email: string; onClose(): void }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const [isWrong, setWrong] = useState(false)
  const remove = useAction(
    () =>
      session.leave(async () => {
        await platen.me.delete()
        // Without an account, this page would lead to the sign-in.
        navigate('/', { replace: true })
      }),
    () => notices.add({ text: text('account.deleted'), tone: 'good' }),
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (typed.trim().toLowerCase() === email.toLowerCase()) remove.mutate()
    else setWrong(true)
  }
  return (
    <Dialog
      title={text('account.deleteAccount')}
      isOpen
      staysOpen
      onClose={onClose}
      closeLabel={text('common.cancel')}
      role="alertdialog"
      size="small"
    >
      <p>{text('account.deleteWarning')}</p>
      <form className="form" onSubmit={submit}>
        <ErrorBanner error={remove.error} />
        <TextField
          label={text('account.typeEmail', { email })}
          type="email"
          autoComplete="off"
          value={typed}
          onChange={(value) => {
            setTyped(value)
            setWrong(false)
          }}
          isRequired
          autoFocus
          error={isWrong ? text('account.notYourEmail') : undefined}
        />
        <Button type="submit" look="danger" isPending={remove.isPending}>
          {text('account.deleteForGood')}
        </Button>
      </form>
    </Dialog>
  )
}
