import { hasOutbox } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { Banner, Button, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { ErrorBanner } from '../frame/error-banner.tsx'
import { Section } from '../frame/section.tsx'
import { useAction } from '../frame/use-action.ts'

/** Changes the email address. The new one counts when the customer has opened the link in the mail to it. */
export function EmailSection({ email }: { email: string }) {
  const { text } = useTexts()
  const [newEmail, setNewEmail] = useState('')
  const change = useAction(() => platen.auth.changeEmail({ newEmail: newEmail.trim() }))
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <Section title={text('common.email')} help={text('account.emailHelp', { email })}>
      <form className="form" onSubmit={submit}>
        <ErrorBanner error={change.error} />
        <TextField
          label={text('account.newEmail')}
          type="email"
          autoComplete="email"
          value={newEmail}
          onChange={(value) => {
            setNewEmail(value)
            change.reset()
          }}
          isRequired
        />
        {change.isSuccess ? (
          <Banner tone="good" isLive>
            {text('account.newEmailSent', { email: newEmail.trim() })}
          </Banner>
        ) : null}
        <Button type="submit" isPending={change.isPending} isDisabled={change.isSuccess}>
          {text('account.changeEmail')}
        </Button>
        {hasOutbox && change.isSuccess ? (
          <p className="form-links">
            <a href="/dev/outbox/mails">{text('session.outbox')}</a>
          </p>
        ) : null}
      </form>
    </Section>
  )
}
