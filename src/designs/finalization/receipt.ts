import type { PriceTiers } from '../../products/index.ts'
import type { FinalizationFile } from '../files/stored-file.ts'

/** Header `typ` of a receipt. No access token has it, and no receipt is taken for an access token. */
export const RECEIPT_TYPE = 'platen-receipt+jwt'

/**
 * Signs claims with the service's current key and answers a compact JWS (RFC 7515) with this `typ` in its header. Needs
 * no connection to the database.
 */
export type SignStatement = (claims: Record<string, unknown>, header: { typ: string }) => Promise<string>

/** Who asked for a finalization, and how they had proved who they are (`amr`, RFC 8176). */
export interface Requester {
  userId: string
  authenticationMethods: string[]
  /** Seconds since 1970; a person's session has it, an API key does not. */
  authenticatedAt?: number
}

/** What a receipt says. Times are seconds since 1970 (RFC 7519 NumericDate) where the name is registered, else RFC 3339. */
export interface ReceiptStatement {
  /** The service's public address; its keys are at `/.well-known/jwks.json` below it. */
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

/** Signs what was locked, for whom and when, so that it can be proved later without the service. */
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
