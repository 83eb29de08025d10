import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../platform/clock.ts'
import { createRequestContext, type RequestContext, runInRequest } from '../../platform/concurrency/request-context.ts'
import { type AuthenticatorDeps, createAuthenticator } from './authenticate.ts'

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Makes a token that has not expired, whose signature is not looked at here. */
function makeToken(name: string): string {
  const exp = Math.ceil(Date.now() / 1000) + 900
  return `${base64url({ alg: 'EdDSA', typ: 'at+jwt' })}.${base64url({ exp, name })}.signature`
}

/** Creates an authenticator whose verifications wait for the gate. */
function startVerifying(gate: Promise<void>) {
  const read = async (token: string) => {
    await gate
    const content = {
      sessionId: `session ${token}`,
      userId: 'usr_ada',
      role: 'customer',
      staffRole: null,
      methods: ['pwd'],
    }
    return { ...content, isGuest: false, kid: 'key', expiresAtMs: Date.now() + 900_000, authenticatedAt: new Date() }
  }
  const authenticator = createAuthenticator({
    ...{ clock: systemClock, stepUpSeconds: 600, tokens: { read } },
    signingKeys: { isFresh: () => true, find: () => ({}) },
    revocations: { mustRevalidate: () => false },
  } as unknown as AuthenticatorDeps)
  const client = { ip: '192.0.2.1', userAgent: '', deviceCookie: undefined }
  return (token: string, request: Partial<RequestContext> = {}) =>
    runInRequest({ ...createRequestContext(), ...request }, async () =>
      authenticator.authenticate(
        token,
        () => client,
        (find) => find(),
      ),
    )
}

test('a client that leaves while its token waits for its verification does not end that of others', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const authenticate = startVerifying(gate)
  const busy = ['a', 'b', 'c', 'd'].map((name) => authenticate(makeToken(name)))
  const shared = makeToken('shared')
  const listeners: (() => void)[] = []
  const onLeave = (listener: () => void) => {
    listeners.push(listener)
    return () => undefined
  }
  const first = authenticate(shared, { onLeave })
  const second = authenticate(shared)
  for (const leave of listeners) leave()
  open()
  const [ofFirst, ofSecond] = await Promise.all([first, second])
  assert.deepEqual([ofFirst?.userId, ofSecond?.userId], ['usr_ada', 'usr_ada'])
  await Promise.all(busy)
})
