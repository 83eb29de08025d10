import { MoreTexts, Page, signInSettings } from '@platen/app/frame'
import { platen, useAccount } from '@platen/app/session'
import { factorProblem, ProviderButtons, VerifyHint } from '@platen/app/sign-in'
import { PlatenError } from '@platen/client'
import { Banner, Button, EmptyState, TextField, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useSearch } from 'wouter'
import { useNextPage } from './next-page.ts'

/** Creates an account. */
export function RegisterPage() {
  return (
    <MoreTexts groups={['session']}>
      <Register />
    </MoreTexts>
  )
}

function Register() {
  const texts = useTexts()
  const { text } = texts
  const account = useAccount()
  const next = useNextPage()
  const search = useSearch()
  const [fields, setFields] = useState({ name: '', email: '', password: '' })
  const register = useMutation({
    mutationFn: () => {
      const { name, email, password } = fields
      return platen.auth.register({
        email: email.trim(),
        password,
        ...(name.trim() === '' ? {} : { name: name.trim() }),
      })
    },
  })
  const signInUrl = search === '' ? '/sign-in' : `/sign-in?${search}`
  if (!signInSettings.isRegistrationOpen) {
    const signIn = (
      <Link href={signInUrl} className="pl-button primary">
        {text('common.signIn')}
      </Link>
    )
    return (
      <EmptyState level={1} icon="user" title={text('shop.registrationClosed')} action={signIn}>
        {text('shop.registrationClosedHelp')}
      </EmptyState>
    )
  }
  if (register.isSuccess) return <Registered email={fields.email} signInUrl={signInUrl} />
  const isRefused = register.error instanceof PlatenError && register.error.code === 'password_rejected'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    register.mutate()
  }
  const change = (part: Partial<typeof fields>): void => setFields((before) => ({ ...before, ...part }))
  return (
    <Page title={text('shop.createAccount')} width="narrow">
      {account.kind === 'guest' ? <p className="note">{text('session.designsComeAlong')}</p> : null}
      <form className="form" onSubmit={submit}>
        {register.error === null || isRefused ? null : (
          <Banner tone="danger" isLive>
            {factorProblem(texts, register.error)}
          </Banner>
        )}
        <TextField
          label={text('session.yourName')}
          description={text('shop.optionalField')}
          autoComplete="name"
          maxLength={200}
          value={fields.name}
          onChange={(name) => change({ name })}
        />
        <TextField
          label={text('common.email')}
          type="email"
          autoComplete="username"
          value={fields.email}
          onChange={(email) => change({ email })}
          isRequired
        />
        <TextField
          label={text('session.password')}
          description={text('session.passwordHelp', { count: signInSettings.passwordMinLength })}
          type="password"
          autoComplete="new-password"
          minLength={signInSettings.passwordMinLength}
          value={fields.password}
          onChange={(password) => {
            change({ password })
            if (isRefused) register.reset()
          }}
          isRequired
          error={isRefused ? factorProblem(texts, register.error) : undefined}
        />
        <Button type="submit" look="primary" isPending={register.isPending}>
          {text('shop.createAccount')}
        </Button>
        <ProviderButtons next={next} />
        <p className="form-links">
          <Link href={signInUrl}>{text('session.haveAccount')}</Link>
        </p>
      </form>
    </Page>
  )
}

function Registered({ email, signInUrl }: { email: string; signInUrl: string }) {
  const { text } = useTexts()
  return (
    <EmptyState level={1} icon="mail" title={text('session.readYourMail')}>
      <VerifyHint email={email}>
        <Link href={signInUrl} className="pl-button primary">
          {text('common.signIn')}
        </Link>
      </VerifyHint>
    </EmptyState>
  )
}
