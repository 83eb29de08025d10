import { Banner, Button, type MessageKey, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import type { SecondFactorMethod, SignInStep } from '../session/account.ts'
import { platen } from '../session/platen.ts'
import { session } from '../session/session.ts'
import { problemText } from '../shell/failures/problem-text.ts'

type CodeMethod = Exclude<SecondFactorMethod, 'webauthn'>

const METHOD_TEXTS: Readonly<Record<CodeMethod, MessageKey>> = {
  totp: 'shop.codeOfApp',
  sms: 'shop.codeOfMessage',
  recovery_code: 'shop.recoveryCode',
}

export interface SecondFactorFormProps {
  step: Extract<SignInStep, { kind: 'second-factor' }>
  onDone(step: SignInStep): void
  onRestart(): void
}

/** Asks for the code of a second factor. */
export function SecondFactorForm({ step, onDone, onRestart }: SecondFactorFormProps) {
  const texts = useTexts()
  const { text } = texts
  const methods = step.methods.filter((method) => method !== 'webauthn')
  const [method, setMethod] = useState<CodeMethod>(methods[0] ?? 'recovery_code')
  const [code, setCode] = useState('')
  const [error, setError] = useState<unknown>()
  const [isPending, setPending] = useState(false)
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setPending(true)
    setError(undefined)
    await work().catch(setError)
    setPending(false)
  }
  const choose = (next: CodeMethod): void => {
    setMethod(next)
    setCode('')
    setError(undefined)
  }
  const sendMessage = () =>
    attempt(async () => {
      await platen.auth.challengeSecondFactor({ mfaToken: step.mfaToken, method: 'sms' })
    })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void attempt(async () => onDone(await session.verify(step.mfaToken, method, code.trim())))
  }
  return (
    <form className="form" onSubmit={submit}>
      <p>{text('shop.secondFactorHelp')}</p>
      {error === undefined ? null : (
        <Banner tone="danger" isLive>
          {problemText(texts, error)}
        </Banner>
      )}
      {method === 'sms' ? (
        <Button onPress={() => void sendMessage()} isPending={isPending}>
          {text('shop.sendCode')}
        </Button>
      ) : null}
      <TextField
        key={method}
        label={text(METHOD_TEXTS[method])}
        autoComplete="one-time-code"
        inputMode={method === 'recovery_code' ? 'text' : 'numeric'}
        value={code}
        onChange={setCode}
        isRequired
        autoFocus
      />
      <Button type="submit" look="primary" isPending={isPending}>
        {text('shop.verify')}
      </Button>
      <div className="row">
        {methods
          .filter((other) => other !== method)
          .map((other) => (
            <Button key={other} look="quiet" onPress={() => choose(other)}>
              {text('shop.useInstead', { method: text(METHOD_TEXTS[other]) })}
            </Button>
          ))}
        <Button look="quiet" onPress={onRestart}>
          {text('shop.startAgain')}
        </Button>
      </div>
    </form>
  )
}
