import { MoreTexts, signInSettings } from '@platen/app/frame'
import { platen, session, useAccount } from '@platen/app/session'
import { PlatenError } from '@platen/client'
import { TextField, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { accountProblem } from '../frame/account-problem.ts'
import { MailLinkPage, PageLink } from './mail-link-page.tsx'
import { useMailedToken } from './token.ts'

/** Confirms the email address of a new account. */
export function VerifyEmailPage() {
  return (
    <MoreTexts groups={['session', 'account']}>
      <VerifyEmail />
    </MoreTexts>
  )
}

/** Confirms a new email address of an account. */
export function ConfirmEmailPage() {
  return (
    <MoreTexts groups={['session', 'account']}>
      <ConfirmEmail />
    </MoreTexts>
  )
}

/** Sets a new password. */
export function ResetPasswordPage() {
  return (
    <MoreTexts groups={['session', 'account']}>
      <ResetPassword />
    </MoreTexts>
  )
}

/** Stops the removal of second factors that an administrator requested. */
export function StopFactorResetPage() {
  return (
    <MoreTexts groups={['session', 'account']}>
      <StopFactorReset />
    </MoreTexts>
  )
}

function StopFactorReset() {
  const { text } = useTexts()
  const token = useMailedToken()
  const stop = useMutation({ mutationFn: () => platen.auth.stopOwnFactorReset({ token: token ?? '' }) })
  return (
    <MailLinkPage
      title={text('account.stopResetTitle')}
      help={text('account.stopResetHelp')}
      submitLabel={text('account.stopReset')}
      token={token}
      action={stop}
      done={{
        title: text('account.resetStopped'),
        help: text('account.resetStoppedHelp'),
        link: <PageLink href="/account/security" label={text('account.toAccount')} isMain />,
      }}
      again={<PageLink href="/account/security" label={text('account.toAccount')} />}
    />
  )
}

function VerifyEmail() {
  const { text } = useTexts()
  const token = useMailedToken()
  const verify = useMutation({ mutationFn: () => platen.auth.verifyEmail({ token: token ?? '' }) })
  return (
    <MailLinkPage
      title={text('account.verifyTitle')}
      help={text('account.verifyHelp')}
      submitLabel={text('session.verify')}
      token={token}
      action={verify}
      done={{
        title: text('account.verified'),
        help: text('account.verifiedHelp'),
        link: <PageLink href="/sign-in" label={text('common.signIn')} isMain />,
      }}
      again={<PageLink href="/sign-in" label={text('account.toSignIn')} />}
    />
  )
}

function ConfirmEmail() {
  const { text } = useTexts()
  const token = useMailedToken()
  const account = useAccount()
  const confirm = useMutation({
    mutationFn: () => platen.auth.confirmEmail({ token: token ?? '' }),
    onSuccess: afterEnd,
  })
  return (
    <MailLinkPage
      title={text('account.confirmEmailTitle')}
      help={text('account.confirmEmailHelp')}
      submitLabel={text('session.verify')}
      token={token}
      action={confirm}
      done={{
        title: text('account.emailConfirmed'),
        help: text('account.emailConfirmedHelp'),
        link:
          account.kind === 'user' ? (
            <PageLink href="/account" label={text('account.toAccount')} isMain />
          ) : (
            <PageLink href="/sign-in" label={text('common.signIn')} isMain />
          ),
      }}
      again={<PageLink href="/account" label={text('account.toAccount')} />}
    />
  )
}

function ResetPassword() {
  const texts = useTexts()
  const { text } = texts
  const token = useMailedToken()
  const [password, setPassword] = useState('')
  const reset = useMutation({
    mutationFn: () => platen.auth.resetPassword({ token: token ?? '', newPassword: password }),
    onSuccess: afterEnd,
  })
  const isRejected = reset.error instanceof PlatenError && reset.error.code === 'password_rejected'
  return (
    <MailLinkPage
      title={text('account.resetTitle')}
      help={text('account.resetHelp')}
      submitLabel={text('account.setPassword')}
      token={token}
      action={reset}
      isErrorShown={isRejected}
      done={{
        title: text('account.passwordSet'),
        help: text('account.passwordSetHelp'),
        link: <PageLink href="/sign-in" label={text('common.signIn')} isMain />,
      }}
      again={<PageLink href="/forgot-password" label={text('account.newMail')} />}
    >
      <TextField
        label={text('session.newPassword')}
        description={text('session.passwordHelp', { count: signInSettings.passwordMinLength })}
        type="password"
        autoComplete="new-password"
        minLength={signInSettings.passwordMinLength}
        value={password}
        onChange={(value) => {
          setPassword(value)
          if (isRejected) reset.reset()
        }}
        isRequired
        error={isRejected ? accountProblem(texts, reset.error) : undefined}
      />
    </MailLinkPage>
  )
}

/** The action may have ended the session of this browser, too. The page says what comes next itself. */
async function afterEnd(): Promise<void> {
  if (session.state().account.kind !== 'user') return
  await session.reload().catch(() => undefined)
  if (session.state().ended !== undefined) session.goOnWithout()
}
