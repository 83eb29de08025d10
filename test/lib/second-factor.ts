import assert from 'node:assert/strict'
import { Secret, TOTP } from 'otpauth'
import type { Clock, ShiftableClock } from '../../src/platform/clock.ts'
import type { TestResponse, TestService } from '../harness.ts'

const STEP_MS = 30_000

export interface EnabledApp {
  factorId: string
  /** The secret in Base32. */
  secret: string
  recoveryCodes: string[]
}

/** Returns the code that an authenticator app will show after the given number of steps of 30 seconds. */
export function totpCode(secret: string, clock: Clock, steps = 0): string {
  const timestamp = clock.now().getTime() + steps * STEP_MS
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
}

/** Moves the clock to the start of a time step, so that no step ends while a test counts steps. */
export function alignToStep(clock: ShiftableClock): void {
  clock.shift((STEP_MS - (clock.now().getTime() % STEP_MS)) / 1000)
}

/**
 * Adds an authenticator app to an account through the API. The app is confirmed with the code of the previous step, so
 * that the test can still use the current code.
 */
export async function enableTotp(
  service: TestService,
  { accessToken: token }: { accessToken: string },
): Promise<EnabledApp> {
  alignToStep(service.clock)
  const begun = await service.request('POST', '/api/auth/mfa/enable', { token })
  assert.equal(begun.status, 200, begun.text)
  const { factorId, secret } = begun.body
  const body = { factorId, code: totpCode(secret, service.clock, -1) }
  const confirmed = await service.request('POST', '/api/auth/mfa/confirm', { token, body })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { factorId, secret, recoveryCodes: confirmed.body.recoveryCodes }
}

export async function beginSignIn(
  service: TestService,
  { email, password }: { email: string; password: string },
  headers: Record<string, string> = {},
): Promise<string> {
  const login = await service.request('POST', '/api/auth/login', { body: { email, password }, headers })
  assert.equal(login.status, 200, login.text)
  assert.equal(login.body.status, 'mfa_required')
  return login.body.mfaToken
}

export function verifyFactor(
  service: TestService,
  mfaToken: string,
  proof: object,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return service.request('POST', '/api/auth/mfa/verify', { body: { mfaToken, ...proof }, headers })
}

export async function signInWithApp(
  service: TestService,
  who: { email: string; password: string },
  { secret }: { secret: string },
): Promise<TestResponse> {
  const code = totpCode(secret, service.clock)
  return verifyFactor(service, await beginSignIn(service, who), { method: 'totp', code })
}

export async function textedCode(service: TestService, phoneNumber: string): Promise<string> {
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  const message = outbox.body.find(
    ({ channel, to }: { channel: string; to: string }) => channel === 'sms' && to === phoneNumber,
  )
  const code = /\b\d{6}\b/.exec(message?.text ?? '')?.[0]
  if (code === undefined) throw new Error(`no code was texted to ${phoneNumber}`)
  return code
}
