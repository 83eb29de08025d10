import { randomUUID } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { SIGNATURE_ALGORITHM } from './key-material.ts'
import { signCompact } from './sign-compact.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface ApiTokenDeps {
  keys: SigningKeys
  clock: Clock
  /** Origin of the service. It is the issuer of the tokens; their audience is the base URL of the API. */
  origin: string
  log: Log
}

/** Time between two log lines about tokens for another public URL. */
const LOG_PAUSE_MS = 60_000

export interface ReadApiToken {
  payload: JWTPayload
  /** Name of the key that signed the token. */
  kid: string
}

/** JWTs of one type that the API accepts as bearer tokens. */
export interface ApiTokens {
  /** Signs a token. Times are Unix times in seconds. */
  sign(subject: string, claims: JWTPayload, times: { now: number; expiresAt: number }): Promise<string>
  /** Returns the content of a token that is valid now and has the required claims. */
  verify(token: string, requiredClaims: string[]): Promise<ReadApiToken | undefined>
}

/** @param type in the header of each token, so that no other token of the service is taken for one */
export function createApiTokens({ keys, clock, origin, log }: ApiTokenDeps, type: string): ApiTokens {
  const audience = `${origin}/v1`
  let loggedAt = Number.NEGATIVE_INFINITY
  // The signature was verified before the claims, so a node of this installation has issued the token.
  const noteOtherIssuer = (issuer: unknown): void => {
    if (performance.now() - loggedAt < LOG_PAUSE_MS) return
    loggedAt = performance.now()
    log.warn(
      { issuer, publicUrl: origin },
      'refused a token that this installation has issued for another public URL: nodes need the same PLATEN_PUBLIC_URL',
    )
  }
  return {
    sign: async (subject, claims, { now, expiresAt }) => {
      await keys.refresh()
      const registered = { iss: origin, aud: audience, sub: subject, jti: randomUUID(), iat: now, exp: expiresAt }
      return signCompact(keys.current('access_token'), type, { ...claims, ...registered })
    },
    verify: async (token, requiredClaims) => {
      try {
        const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => findKey(keys, kid), {
          algorithms: [SIGNATURE_ALGORITHM],
          typ: type,
          issuer: origin,
          audience,
          currentDate: clock.now(),
          clockTolerance: 0,
          requiredClaims,
        })
        return protectedHeader.kid === undefined ? undefined : { payload, kid: protectedHeader.kid }
      } catch (error) {
        if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'iss')
          noteOtherIssuer(error.payload.iss)
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}

/**
 * Finds the key that a token names. Only keys of the service are accepted. Keys and URLs in the header of the token are
 * ignored.
 */
async function findKey(keys: SigningKeys, kid: string | undefined) {
  const key = kid === undefined ? undefined : await keys.seek('access_token', kid)
  if (key === undefined) throw new errors.JWKSNoMatchingKey()
  return key
}
