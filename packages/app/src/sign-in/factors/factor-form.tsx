import type { AssertionProof, CodeProof, CodeSent, PasskeyRequest } from '@platen/client'
import { Banner, Button, type MessageKey, TextField, useTexts } from '@platen/ui'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { SecondFactorMethod } from '../../session/account.ts'
import { askForPasskey, hasPasskeys } from './passkey.ts'
import { factorProblem } from './problem.ts'

const METHOD_TEXTS: Readonly<Record<SecondFactorMethod, MessageKey>> = {
  webauthn: 'session.passkey',
  totp: 'session.codeOfApp',
  sms: 'session.codeOfMessage',
  recovery_code: 'session.recoveryCode',
}

/** The most comfortable method comes first. */
const ORDER: readonly SecondFactorMethod[] = ['webauthn', 'totp', 'sms', 'recovery_code']

export interface FactorFormProps {
  /** The methods that the account has. */
  methods: readonly SecondFactorMethod[]
  /** Has the service send a text message, or gets the options for a passkey. */
  challenge(method: 'sms' | 'webauthn'): Promise<CodeSent | PasskeyRequest>
  verify(proof: CodeProof | AssertionProof): Promise<unknown>
  /** Further actions beside the other methods. */
  children?: ReactNode
}

/** Asks for a second factor: a passkey, or a code. */
export function FactorForm({ methods, challenge, verify, children }: FactorFormProps) {
  const texts = useTexts()
  const { text } = texts
  const usable = ORDER.filter((one) => methods.includes(one) && (one !== 'webauthn' || hasPasskeys()))
  const [method, setMethod] = useState(usable[0] ?? 'recovery_code')
  const [error, setError] = useState<unknown>()
  const [isPending, setPending] = useState(false)
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    setPending(true)
    setError(undefined)
    await work().catch(setError)
    setPending(false)
  }
  const choose = (next: SecondFactorMethod): void => {
    setMethod(next)
    setError(undefined)
  }
  const confirmByPasskey = async (): Promise<void> => {
    const options = await challenge('webauthn')
    if ('publicKey' in options) await verify(await askForPasskey(options))
  }
  return (
    <div className="form">
      {error === undefined ? null : (
        <Banner tone="danger" isLive>
          {factorProblem(texts, error)}
        </Banner>
      )}
      {method === 'webauthn' ? (
        <Button look="primary" isPending={isPending} onPress={() => void attempt(confirmByPasskey)} autoFocus>
          {text('session.usePasskey')}
        </Button>
      ) : (
        <CodeForm
          key={method}
          method={method}
          isPending={isPending}
          onSend={() => attempt(() => challenge('sms'))}
          onCode={(code) => void attempt(() => verify({ method, code }))}
        />
      )}
      <div className="row">
        {usable
          .filter((other) => other !== method)
          .map((other) => (
            <Button key={other} look="quiet" onPress={() => choose(other)}>
              {text('session.useInstead', { method: text(METHOD_TEXTS[other]) })}
            </Button>
          ))}
        {children}
      </div>
    </div>
  )
}

interface CodeFormProps {
  method: CodeProof['method']
  isPending: boolean
  onSend(): Promise<void>
  onCode(code: string): void
}

function CodeForm({ method, isPending, onSend, onCode }: CodeFormProps) {
  const { text } = useTexts()
  const [code, setCode] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onCode(code.trim())
  }
  return (
    <form className="form" onSubmit={submit}>
      {method === 'sms' ? (
        <Button onPress={() => void onSend()} isPending={isPending}>
          {text('session.sendCode')}
        </Button>
      ) : null}
      <TextField
        label={text(METHOD_TEXTS[method])}
        autoComplete="one-time-code"
        inputMode={method === 'recovery_code' ? 'text' : 'numeric'}
        value={code}
        onChange={setCode}
        isRequired
        autoFocus
      />
      <Button type="submit" look="primary" isPending={isPending}>
        {text('session.verify')}
      </Button>
    </form>
  )
}
