import type { AssertionProof } from '@platen/client'
import { Button, Icon, useTexts } from '@platen/ui'
import { useEffect, useRef, useState } from 'react'
import { platen } from '../../session/platen.ts'
import { askForPasskey, hasPasskeyAutofill, hasPasskeys } from './passkey.ts'

/** The options are valid for five minutes. A page that stays open longer gets new ones. */
const RENEW_MS = 240_000

export interface PasskeySignInProps {
  isPending: boolean
  /** Signs in with what the function returns. */
  onSignIn(ask: () => Promise<AssertionProof>): Promise<void>
}

/**
 * Signs in with a passkey: with a button, or from the list that the browser shows at the field of the email address. A
 * page may have one request for a passkey at a time, so the button ends the other one.
 */
export function PasskeySignIn({ isPending, onSignIn }: PasskeySignInProps) {
  const { text } = useTexts()
  const waiting = useRef<AbortController>(undefined)
  const signIn = useRef(onSignIn)
  signIn.current = onSignIn
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round waits anew
  useEffect(() => {
    const stop = new AbortController()
    waiting.current = stop
    void waitForPasskey(stop.signal).then(async (proof) => {
      if (proof === undefined || stop.signal.aborted) return
      await signIn.current(async () => proof)
      setRound((before) => before + 1)
    })
    return () => stop.abort()
  }, [round])
  if (!hasPasskeys()) return null
  const press = async (): Promise<void> => {
    waiting.current?.abort()
    await onSignIn(async () => askForPasskey(await platen.auth.offerPasskeySignIn()))
    setRound((before) => before + 1)
  }
  return (
    <Button isPending={isPending} onPress={() => void press()}>
      <Icon name="key" size={20} />
      {text('session.signInWithPasskey')}
    </Button>
  )
}

/** Returns undefined if the browser does not offer passkeys at fields, or the wait was stopped. */
async function waitForPasskey(stop: AbortSignal): Promise<AssertionProof | undefined> {
  if (!(await hasPasskeyAutofill())) return undefined
  while (!stop.aborted) {
    const expired = AbortSignal.timeout(RENEW_MS)
    try {
      const options = await platen.auth.offerPasskeySignIn({ signal: stop })
      return await askForPasskey(options, { mediation: 'conditional', signal: AbortSignal.any([stop, expired]) })
    } catch {
      // The form works without the list, so a failure of it is not shown.
      if (!expired.aborted) return undefined
    }
  }
  return undefined
}
