import { createHash } from 'node:crypto'
import type { JSONWebKeySet } from 'jose'
import Type from 'typebox'
import type { Value as ValueOf } from 'typebox/value'
import { verifyStatement } from '../../auth/index.ts'
import type { FinalizationFile } from '../files/stored-file.ts'
import { RECEIPT_TYPE, type ReceiptStatement } from './receipt.ts'

/** The schema accepts unknown members, because later versions may add some. */
const ReceiptSchema = Type.Object({
  iss: Type.String(),
  sub: Type.String(),
  // The maximum is the largest time that a Date can hold (ECMA-262, section 21.4.1.1).
  iat: Type.Integer({ minimum: 0, maximum: 8_640_000_000_000 }),
  amr: Type.Array(Type.String()),
  design: Type.Object({ id: Type.String(), revision: Type.Integer() }),
  finalization: Type.Object({ id: Type.String(), contentHash: Type.String(), finalizedAt: Type.String() }),
  files: Type.Array(Type.Object({ id: Type.String(), kind: Type.String(), sha256: Type.String() })),
  price: Type.Object({ priceTiers: Type.Array(Type.Unknown()), currency: Type.String(), validUntil: Type.String() }),
})

/** The receipt is not genuine, or a file is not one that the receipt names. The message states which. */
export class ReceiptRejected extends Error {
  override readonly name = 'ReceiptRejected'
}

export interface VerifiedReceipt {
  statement: ReceiptStatement
  /** The entry of the receipt for each given file, in the same order. */
  files: FinalizationFile[]
}

/**
 * Verifies a receipt with nothing but the public keys of the service. Also verifies that each given file is byte for
 * byte one that the receipt names; a caller may give only some of the files.
 *
 * @param receipt compact JWS; white space around it is ignored
 * @param jwks JSON Web Key Set of the service that issued the receipt. The caller must know that these keys belong to
 *   the service, because a receipt can name any issuer
 * @throws {ReceiptRejected}
 */
export async function verifyReceipt(
  receipt: string,
  jwks: JSONWebKeySet,
  files: readonly Uint8Array[],
): Promise<VerifiedReceipt> {
  const statement = await readGenuine(receipt.trim(), jwks)
  const matched = files.map((bytes, index) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const file = statement.files.find((one) => one.sha256 === sha256)
    if (file === undefined) {
      throw new ReceiptRejected(
        `File ${index + 1} (SHA-256 ${sha256}) is none of the files of this receipt. A receipt lists the files of the finalized design, not those of an order item with texts of its own.`,
      )
    }
    return file
  })
  return { statement, files: matched }
}

/**
 * Reads the issuer that a receipt names, without verifying anything. A forged receipt can name any issuer, so the
 * caller must check that it is the expected one.
 *
 * @returns an origin in its normal form (RFC 6454), such as `https://print.example`
 * @throws {ReceiptRejected}
 */
export function claimedIssuer(receipt: string): string {
  const iss = issuerOf(receipt)
  if (typeof iss !== 'string') throw new ReceiptRejected('This is not a receipt, because it names no issuer.')
  requireOrigin(iss)
  return iss
}

/**
 * Returns the URL of the keys of the issuer that a receipt names.
 *
 * @throws {ReceiptRejected}
 */
export function issuerKeysUrl(receipt: string): string {
  return `${claimedIssuer(receipt)}/.well-known/jwks.json`
}

function issuerOf(receipt: string): unknown {
  const payload = receipt.trim().split('.')[1] ?? ''
  try {
    return Object(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).iss
  } catch {
    return
  }
}

function requireOrigin(iss: string): void {
  if (/^https?:/.test(iss) && URL.parse(iss)?.origin === iss) return
  throw new ReceiptRejected('The receipt is not genuine: its issuer is not an origin such as https://print.example.')
}

async function readGenuine(receipt: string, jwks: JSONWebKeySet): Promise<ReceiptStatement> {
  const statement = await verifyStatement(receipt, jwks, { typ: RECEIPT_TYPE }).catch((error: unknown) => {
    throw new ReceiptRejected(`The receipt is not genuine: ${reasonOf(error)}`, { cause: error })
  })
  // The keys may belong to any signer, so the statement may have any form. The module is imported only here, because it
  // loads three hundred others, and a service that verifies no receipts does not need them.
  const { Value } = await import('typebox/value')
  if (!isReceipt(statement, Value)) {
    throw new ReceiptRejected('The receipt is not genuine: its statement does not have the members of a receipt.')
  }
  requireOrigin(statement.iss)
  return statement
}

function isReceipt(value: unknown, { Check }: Pick<typeof ValueOf, 'Check'>): value is ReceiptStatement {
  return Check(ReceiptSchema, value) && isTime(value.finalization.finalizedAt) && isTime(value.price.validUntil)
}

/** Whether a text is a timestamp in the form that `Date.prototype.toISOString` writes. */
function isTime(text: string): boolean {
  const time = new Date(text)
  return !Number.isNaN(time.getTime()) && time.toISOString() === text
}

/**
 * Why a receipt is not genuine, by the error code of `jose`. The reasons continue the sentence "The receipt is not
 * genuine:".
 */
const REASONS: Readonly<Record<string, string>> = {
  ERR_JWS_INVALID: 'it is cut off, or is not a receipt.',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature does not match. It was changed after it was signed.',
  ERR_JWKS_NO_MATCHING_KEY:
    'the key that signed it is not among those of the service. Another service issued it, or the key was revoked.',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it does not name the key that signed it.',
  ERR_JOSE_ALG_NOT_ALLOWED: 'it is not signed with the algorithm of this service (EdDSA).',
  ERR_JOSE_NOT_SUPPORTED: 'it is not signed with the algorithm of this service (EdDSA).',
}

function reasonOf(error: unknown): string {
  const { code, message } = error as Error & { code?: string }
  return REASONS[code ?? ''] ?? `${message}.`
}
