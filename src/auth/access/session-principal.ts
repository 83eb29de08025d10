import type { Principal } from '../../platform/http/core/principal.ts'

/** A caller in a session, as opposed to an API key. */
export interface SessionPrincipal extends Principal {
  kind: 'session'
  authenticatedAt: Date
  authenticationMethods: readonly string[]
  stepUp: StepUp
}

/** Whether the last sign-in or step-up is recent enough for a sensitive operation. */
export interface StepUp {
  /** Seconds for which a sign-in or step-up counts as recent. */
  maxAge: number
  isRecent(): boolean
}

export function isSession(principal: Principal | undefined): principal is SessionPrincipal {
  return principal?.kind === 'session'
}
