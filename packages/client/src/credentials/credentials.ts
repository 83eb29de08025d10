import type { PreparedRequest } from '../request/prepare.ts'

/** Where the credential of a request comes from. */
export interface Credentials {
  /** Returns the bearer token of a request. Undefined sends it without one. */
  token(request: PreparedRequest): Promise<string | undefined>
  /**
   * Replaces a token that the service refused with 401.
   *
   * @returns whether another token is available
   */
  renew(refused: string, signal: AbortSignal | undefined): Promise<boolean>
}

/** Operations of `auth` without guard open sessions, so the credential of another session has no place there. */
export function takesNoCredential({ operation, headers }: PreparedRequest): boolean {
  if (headers.has('Authorization')) return true
  return operation.isPublic && operation.name.startsWith('auth.')
}

/** Creates credentials of one token that does not change, such as an API key. */
export function fixedToken(token: string): Credentials {
  return {
    token: async (request) => (takesNoCredential(request) ? undefined : token),
    renew: async () => false,
  }
}

export const ANONYMOUS: Credentials = { token: async () => undefined, renew: async () => false }

/** Returns when a token is to be replaced: a margin before its end, or after half of a short life. */
export function usableUntil(expiresInSeconds: number, marginSeconds: number): number {
  return Date.now() + (expiresInSeconds - Math.min(marginSeconds, expiresInSeconds / 2)) * 1000
}
