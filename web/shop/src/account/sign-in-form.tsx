import { type AssertionProof, PlatenError, type SignInResult } from '@platen/client'
import { Banner, Button, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { SignInStep } from '../session/account.ts'
import { platen } from '../session/platen.ts'
import { session } from '../session/session.ts'
import { useAccount } from '../session/use-session.ts'
import { PasskeySignIn } from './factors/passkey-sign-in.tsx'
import { factorProblem } from './factors/problem.ts'
import { ProviderButtons } from './providers/provider-buttons.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { useClaimNotice } from './use-claim-notice.ts'
import { VerifyHint } from './verify-hint.tsx'

export interface SignInFormProps {
  email?: string
  onDone(): void
}

/** Signs in with a passkey, or with a password and the second factor of the account. Designs of a guest come along. */
export function SignInForm({ email: firstEmail = '', onDone }: SignInFormProps) {
  const texts = useTexts()
  const tellOfClaim = useClaimNotice()
  const [email, setEmail] = useState(firstEmail)
  const [password, setPassword] = useState('')
  const [step, setStep] = useState<SignInStep>()
  const [error, setError] = useState<unknown>()
  const [isPending, setPending] = useState(false)

  const goOn = (next: SignInStep): void => {
    setStep(next)
    if (next.kind !== 'done') return
    tellOfClaim(next.claim)
    onDone()
  }
  const attempt = async (send: () => Promise<SignInResult>): Promise<void> => {
    setPending(true)
    setError(undefined)
    try {
      goOn(await session.signIn(send))
    } catch (reason) {
      setError(reason)
    } finally {
      setPending(false)
    }
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void attempt(() => platen.auth.login({ email: email.trim(), password }))
  }

  if (step?.kind === 'second-factor') {
    return <SecondFactorForm step={step} onDone={goOn} onRestart={() => setStep(undefined)} />
  }
  return (
    <form className="form" onSubmit={submit}>
      <SignInProblem error={error} email={email} />
      <TextField
        label={texts.text('shop.email')}
        type="email"
        name="email"
        autoComplete="username webauthn"
        value={email}
        onChange={setEmail}
        isRequired
      />
      <TextField
        label={texts.text('shop.password')}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      <Button type="submit" look="primary" isPending={isPending}>
        {texts.text('shop.signIn')}
      </Button>
      <PasskeySignIn
        isPending={isPending}
        onSignIn={(ask) => attempt(async () => platen.auth.signInWithPasskey(withoutMethod(await ask())))}
      />
      <ProviderButtons />
      <ForgotLink />
    </form>
  )
}

const withoutMethod = ({ challengeId, credential }: AssertionProof) => ({ challengeId, credential })

function SignInProblem({ error, email }: { error: unknown; email: string }) {
  const texts = useTexts()
  if (error === undefined) return null
  const isUnverified = error instanceof PlatenError && error.code === 'email_not_verified'
  return (
    <>
      <Banner tone="danger" isLive>
        {factorProblem(texts, error)}
      </Banner>
      {isUnverified ? <VerifyHint email={email} /> : null}
    </>
  )
}

function ForgotLink() {
  const { text } = useTexts()
  const account = useAccount()
  return (
    <p className="form-links">
      <Link href="/forgot-password">{text('shop.forgotPassword')}</Link>
      {account.kind === 'guest' ? <span>{text('shop.designsComeAlong')}</span> : null}
    </p>
  )
}
