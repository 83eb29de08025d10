import type { OwnUser } from '@platen/client'

/** For whom the shop acts. */
export type Account =
  /** The browser may have a session, and the service has not been asked yet. */
  | { kind: 'unknown' }
  /** A visitor who has not started yet. */
  | { kind: 'none' }
  | { kind: 'guest' }
  | { kind: 'user'; user: OwnUser }

export interface SessionState {
  account: Account
  /** The kind of session that the service has ended, until the customer signs in again or goes on without. */
  ended: 'guest' | 'user' | undefined
}

/** How a sign-in goes on after a password. */
export type SignInStep =
  | { kind: 'done'; claim: Claim }
  | { kind: 'second-factor'; mfaToken: string; methods: readonly SecondFactorMethod[] }

export type SecondFactorMethod = 'totp' | 'sms' | 'webauthn' | 'recovery_code'

export interface Moved {
  kind: 'moved'
  designs: number
  /** Number of items that did not fit into the cart of the account. */
  leftOut: number
}

/** The outcome for the designs that a guest had made before the sign-in. */
export type Claim = { kind: 'nothing' } | Moved | { kind: 'failed'; error: unknown }
