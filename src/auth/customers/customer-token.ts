import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../../platform/clock.ts'
import { SIGNATURE_ALGORITHM } from '../keys/key-material.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'

/** Type of the JWT, so that no other token of the service is taken for one. */
export const CUSTOMER_TOKEN_TYPE = 'customer+jwt'

export interface CustomerTokenContent {
  /** The user id of the customer. */
  userId: string
  /** The operator who issued the token. */
  issuerId: string
  /** The session or API key that the operator used. */
  credentialId: string
  permissions: readonly string[]
  designId?: string
}

export interface ReadCustomerToken extends CustomerTokenContent {
  /** Name of the signing key. */
  kid: string
  expiresAtMs: number
}

export interface CustomerTokens {
  /** Signs a token that is valid for some seconds. */
  issue(content: CustomerTokenContent, seconds: number): Promise<string>
  /** Returns the content of a valid token. It does not check whether issuer and customer still exist. */
  read(token: string): Promise<ReadCustomerToken | undefined>
}

/** @param origin of the service, which is the issuer; the API below it is the audience */
export function createCustomerTokens({
  keys,
  clock,
  origin,
}: {
  keys: SigningKeys
  clock: Clock
  origin: string
}): CustomerTokens {
  const audience = `${origin}/v1`
  return {
    issue: async ({ userId, issuerId, credentialId, permissions, designId }, seconds) => {
      const now = Math.floor(clock.now().getTime() / 1000)
      await keys.refresh()
      const { kid, privateKey } = keys.current('access_token')
      // `act` names who acts for the subject (RFC 8693, section 4.1).
      const claims = { act: { sub: issuerId, sid: credentialId }, scope: permissions.join(' ') }
      return new SignJWT(designId === undefined ? claims : { ...claims, design: designId })
        .setProtectedHeader({ alg: SIGNATURE_ALGORITHM, typ: CUSTOMER_TOKEN_TYPE, kid })
        .setIssuer(origin)
        .setAudience(audience)
        .setSubject(userId)
        .setJti(randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + seconds)
        .sign(privateKey)
    },
    read: async (token) => {
      try {
        const { payload, protectedHeader } = await jwtVerify(
          token,
          async ({ kid }) => {
            const key = kid === undefined ? undefined : await keys.seek('access_token', kid)
            if (key === undefined) throw new errors.JWKSNoMatchingKey()
            return key
          },
          {
            ...{ algorithms: [SIGNATURE_ALGORITHM], typ: CUSTOMER_TOKEN_TYPE, issuer: origin, audience },
            ...{ currentDate: clock.now(), clockTolerance: 0, requiredClaims: ['sub', 'exp', 'act', 'scope'] },
          },
        )
        return toContent(payload, protectedHeader.kid)
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}

function toContent(payload: Record<string, unknown>, kid: string | undefined): ReadCustomerToken | undefined {
  const { sub, exp, scope, design } = payload
  const act = payload['act'] as { sub?: unknown; sid?: unknown } | null
  if (kid === undefined || typeof sub !== 'string' || typeof exp !== 'number' || typeof scope !== 'string')
    return undefined
  if (typeof act?.sub !== 'string' || typeof act.sid !== 'string') return undefined
  return {
    kid,
    expiresAtMs: exp * 1000,
    userId: sub,
    issuerId: act.sub,
    credentialId: act.sid,
    permissions: scope === '' ? [] : scope.split(' '),
    ...(typeof design === 'string' ? { designId: design } : {}),
  }
}
