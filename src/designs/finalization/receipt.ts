import type { PriceTiers } from '../../products/index.ts'
import type { FinalizationFile } from '../files/stored-file.ts'

/** Header `typ` of a receipt. It prevents an access token from being accepted as a receipt, and the reverse. */
export const RECEIPT_TYPE = 'platen-receipt+jwt'

/**
 * Signs claims with the current key of the service and returns a compact JWS (RFC 7515) with the given `typ` in its
 * header. Needs no connection to the database.
 */
export type SignStatement = (claims: Record<string, unknown>, header: { typ: string }) => Promise<string>

/** The account that requested a finalization, and its authentication methods (`amr`, RFC 8176). */
export interface Requester {
  userId: string
  authenticationMethods: string[]
  /** Time of the authentication in seconds since 1970. Sessions have it, API keys do not. */
  authenticatedAt?: number
}

/**
 * The statement of a receipt. Registered claims have times in seconds since 1970 (RFC 7519 NumericDate); the other
 * members have RFC 3339 timestamps.
 */
export interface ReceiptStatement {
  /** The origin of the service. Its public keys are at `/.well-known/jwks.json` of this origin. */
  iss: string
  /** The user who finalized the design. */
  sub: string
  iat: number
  amr: string[]
  auth_time?: number
  design: { id: string; revision: number }
  finalization: { id: string; contentHash: string; finalizedAt: string }
  files: FinalizationFile[]
  price: { priceTiers: PriceTiers; currency: string; validUntil: string }
}

export interface ReceiptFacts {
  issuer: string
  requester: Requester
  design: { id: string; revision: number }
  finalization: { id: string; contentHash: string; finalizedAt: Date; files: FinalizationFile[] }
  price: { priceTiers: PriceTiers; currency: string; validUntil: Date }
  at: Date
}

/** Signs what was finalized, for whom and when, so that the receipt can be verified later without the service. */
export function signReceipt(sign: SignStatement, facts: ReceiptFacts): Promise<string> {
  const { requester, finalization, price } = facts
  const statement: ReceiptStatement = {
    iss: facts.issuer,
    sub: requester.userId,
    iat: Math.floor(facts.at.getTime() / 1000),
    amr: requester.authenticationMethods,
    ...(requester.authenticatedAt === undefined ? {} : { auth_time: requester.authenticatedAt }),
    design: facts.design,
    finalization: {
      id: finalization.id,
      contentHash: finalization.contentHash,
      finalizedAt: finalization.finalizedAt.toISOString(),
    },
    files: finalization.files,
    price: { priceTiers: price.priceTiers, currency: price.currency, validUntil: price.validUntil.toISOString() },
  }
  return sign({ ...statement }, { typ: RECEIPT_TYPE })
}
