import { type AssertionProof, PlatenError, type SignInResult } from '@platen/client'
import { Button, TextField, useTexts } from '@platen/ui'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Claim, SignInStep } from '../session/account.ts'
import { platen } from '../session/platen.ts'
import { session } from '../session/session.ts'
import { FactorProblem } from './factors/factor-problem.tsx'
import { PasskeySignIn } from './factors/passkey-sign-in.tsx'
import { ProviderButtons } from './providers/provider-buttons.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { VerifyHint } from './verify-hint.tsx'

export interface SignInFormProps {
  email?: string
  /** The page to which a provider leads. */
  next: string
  /** @param claim what has become of the designs of a guest */
  onDone(claim: Claim): void
  /** Other ways, after the buttons. */
  children?: ReactNode
}

/** Signs in with a passkey, or with a password and the second factor of the account. Designs of a guest come along. */
export function SignInForm({ email: firstEmail = '', next, onDone, children }: SignInFormProps) {
  const { text } = useTexts()
  const [email, setEmail] = useState(firstEmail)
  const [password, setPassword] = useState('')
  const [step, setStep] = useState<SignInStep>()
  const [error, setError] = useState<unknown>()
  const [isPending, setPending] = useState(false)

  const goOn = (following: SignInStep): void => {
    setStep(following)
    if (following.kind === 'done') onDone(following.claim)
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
      <FactorProblem error={error} />
      {error instanceof PlatenError && error.code === 'email_not_verified' ? <VerifyHint email={email} /> : null}
      <TextField
        label={text('common.email')}
        type="email"
        name="email"
        autoComplete="username webauthn"
        value={email}
        onChange={setEmail}
        isRequired
      />
      <TextField
        label={text('session.password')}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      <Button type="submit" look="primary" isPending={isPending}>
        {text('common.signIn')}
      </Button>
      <PasskeySignIn
        isPending={isPending}
        onSignIn={(ask) => attempt(async () => platen.auth.signInWithPasskey(withoutMethod(await ask())))}
      />
      <ProviderButtons next={next} />
      {children}
    </form>
  )
}

const withoutMethod = ({ challengeId, credential }: AssertionProof) => ({ challengeId, credential })
