import { type AssertionProof, PlatenError, type SignInResult } from '@platen/client'
import { Banner, Button, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import type { Claim, SignInStep } from '../session/account.ts'
import { platen } from '../session/platen.ts'
import { session } from '../session/session.ts'
import { useAccount } from '../session/use-session.ts'
import { problemText } from '../shell/failures/problem-text.ts'
import { notices } from '../shell/notices.ts'
import { PasskeySignIn } from './factors/passkey-sign-in.tsx'
import { factorProblem } from './factors/problem.ts'
import { SecondFactorForm } from './second-factor-form.tsx'
import { VerifyHint } from './verify-hint.tsx'

export interface SignInFormProps {
  email?: string
  onDone(): void
}

/** Signs in with a passkey, or with a password and the second factor of the account. Designs of a guest come along. */
export function SignInForm({ email: firstEmail = '', onDone }: SignInFormProps) {
  const texts = useTexts()
  const [email, setEmail] = useState(firstEmail)
  const [password, setPassword] = useState('')
  const [step, setStep] = useState<SignInStep>()
  const [error, setError] = useState<unknown>()
  const [isPending, setPending] = useState(false)

  const goOn = (next: SignInStep): void => {
    setStep(next)
    if (next.kind !== 'done') return
    tellOf(next.claim)
    onDone()
  }
  const tellOf = (claim: Claim): void => {
    if (claim.kind === 'moved')
      notices.add({ text: texts.text('shop.claimed', { count: claim.designs }), tone: 'good' })
    if (claim.kind === 'failed') {
      notices.add({ text: texts.text('shop.claimFailed', { reason: problemText(texts, claim.error) }), tone: 'danger' })
    }
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
