import type { Principal } from '../../platform/http/principal.ts'

/** A person's own session, as opposed to an API key. */
export interface SessionPrincipal extends Principal {
  kind: 'session'
  permissions: undefined
  authenticatedAt: Date
  authenticationMethods: readonly string[]
  stepUp: StepUp
}

/** Whether the person proved who they are lately enough for a sensitive act. */
export interface StepUp {
  /** Seconds for which a proof holds. */
  maxAge: number
  isRecent(): boolean
}

export function isSession(principal: Principal | undefined): principal is SessionPrincipal {
  return principal?.kind === 'session'
}
