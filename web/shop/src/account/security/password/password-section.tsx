import { notices, signInSettings } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { PlatenError } from '@platen/client'
import { Button, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { accountProblem } from '../../frame/account-problem.ts'
import { ErrorBanner } from '../../frame/error-banner.tsx'
import { Section } from '../../frame/section.tsx'
import { useAction } from '../../frame/use-action.ts'

const NO_PASSWORDS = { current: '', next: '' }

export function PasswordSection({ email }: { email: string }) {
  const texts = useTexts()
  const { text } = texts
  const [fields, setFields] = useState(NO_PASSWORDS)
  const change = useAction(
    () => platen.auth.changePassword({ currentPassword: fields.current, newPassword: fields.next }),
    () => {
      setFields(NO_PASSWORDS)
      notices.add({ text: text('account.passwordChanged'), tone: 'good' })
    },
  )
  const { error } = change
  const code = error instanceof PlatenError ? error.code : undefined
  const errorOf = (wanted: string): string | undefined => (code === wanted ? accountProblem(texts, error) : undefined)
  const isAtField = code === 'current_password_wrong' || code === 'password_rejected'
  const edit = (part: Partial<typeof fields>): void => {
    setFields((before) => ({ ...before, ...part }))
    if (isAtField) change.reset()
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <Section title={text('session.password')} help={text('account.passwordHelp')}>
      <form className="form" onSubmit={submit}>
        {isAtField ? null : <ErrorBanner error={error} />}
        {/* Password managers need to know whose password it is. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <TextField
          label={text('account.currentPassword')}
          type="password"
          autoComplete="current-password"
          value={fields.current}
          onChange={(current) => edit({ current })}
          isRequired
          error={errorOf('current_password_wrong')}
        />
        <TextField
          label={text('session.newPassword')}
          description={text('session.passwordHelp', { count: signInSettings.passwordMinLength })}
          type="password"
          autoComplete="new-password"
          minLength={signInSettings.passwordMinLength}
          value={fields.next}
          onChange={(next) => edit({ next })}
          isRequired
          error={errorOf('password_rejected')}
        />
        <Button type="submit" isPending={change.isPending}>
          {text('account.changePassword')}
        </Button>
        <p className="form-links">
          <Link href="/forgot-password">{text('account.noPassword')}</Link>
        </p>
      </form>
    </Section>
  )
}
