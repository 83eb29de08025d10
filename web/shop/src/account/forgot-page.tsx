import { hasOutbox, MoreTexts, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { Banner, Button, TextField, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { problemText } from '../shell/failures/problem-text.ts'

/** Sends a mail with a link for a new password. It says the same whether there is an account or not. */
export function ForgotPage() {
  return (
    <MoreTexts groups={['session']}>
      <Forgot />
    </MoreTexts>
  )
}

function Forgot() {
  const texts = useTexts()
  const { text } = texts
  const [email, setEmail] = useState('')
  const send = useMutation({ mutationFn: () => platen.auth.forgotPassword({ email: email.trim() }) })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send.mutate()
  }
  return (
    <Page title={text('session.newPassword')} width="narrow">
      <form className="form" onSubmit={submit}>
        {send.isSuccess ? (
          <Banner tone="good" isLive>
            {text('session.newPasswordSent', { email: email.trim() })}
          </Banner>
        ) : (
          <p>{text('session.newPasswordHelp')}</p>
        )}
        {send.error === null ? null : (
          <Banner tone="danger" isLive>
            {problemText(texts, send.error)}
          </Banner>
        )}
        <TextField
          label={text('common.email')}
          type="email"
          autoComplete="username"
          value={email}
          onChange={(value) => {
            setEmail(value)
            send.reset()
          }}
          isRequired
        />
        <Button type="submit" look="primary" isPending={send.isPending} isDisabled={send.isSuccess}>
          {text('session.sendMail')}
        </Button>
        <p className="form-links">
          <Link href="/sign-in">{text('session.backToSignIn')}</Link>
          {hasOutbox && send.isSuccess ? <a href="/dev/outbox/mails">{text('session.outbox')}</a> : null}
        </p>
      </form>
    </Page>
  )
}
