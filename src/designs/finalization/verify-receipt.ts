import { createHash } from 'node:crypto'
import type { JSONWebKeySet } from 'jose'
import { verifyStatement } from '../../auth/index.ts'
import { RECEIPT_TYPE, type ReceiptStatement } from './receipt.ts'
import type { FinalizationFile } from './store.ts'

/** The receipt is not genuine, or a file is not one of those it was given for. The message says which. */
export class ReceiptRejected extends Error {
  override readonly name = 'ReceiptRejected'
}

export interface VerifiedReceipt {
  statement: ReceiptStatement
  /** What each of the given files is, in the same order. */
  files: FinalizationFile[]
}

/**
 * Checks a receipt with the service's public keys alone, and that the given files are byte for byte among those it names.
 * Not every file of the receipt has to be given.
 *
 * @param receipt compact JWS; white space around it is ignored
 * @param jwks JSON Web Key Set of the service that issued it
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
      throw new ReceiptRejected(`File ${index + 1} (SHA-256 ${sha256}) is none of the files of this receipt.`)
    }
    return file
  })
  return { statement, files: matched }
}

/** Where the keys of a receipt's issuer are. Nothing is checked yet: whoever asks there trusts what the receipt says of itself. */
export function issuerKeysAddress(receipt: string): string {
  const payload = receipt.trim().split('.')[1] ?? ''
  try {
    const { iss } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { iss?: unknown }
    return new URL('/.well-known/jwks.json', String(iss)).href
  } catch {
    throw new ReceiptRejected('This is not a receipt: it names no issuer.')
  }
}

async function readGenuine(receipt: string, jwks: JSONWebKeySet): Promise<ReceiptStatement> {
  try {
    // What our own key signed under this type has the form that `signReceipt` gave it.
    return (await verifyStatement(receipt, jwks, { typ: RECEIPT_TYPE })) as ReceiptStatement
  } catch (error) {
    throw new ReceiptRejected(`The receipt is not genuine: ${reasonOf(error)}`, { cause: error })
  }
}

/** What the codes of `jose` mean here. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_JWS_INVALID: 'it is cut off, or was never a receipt.',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature does not fit. It was changed after it was signed.',
  ERR_JWKS_NO_MATCHING_KEY:
    'the key that signed it is not among those of the service. Another service issued it, or the key was revoked.',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it does not say which key signed it.',
  ERR_JOSE_ALG_NOT_ALLOWED: 'it is not signed in the way of this service (EdDSA).',
  ERR_JOSE_NOT_SUPPORTED: 'it is not signed in the way of this service (EdDSA).',
}

function reasonOf(error: unknown): string {
  const { code, message } = error as Error & { code?: string }
  return REASONS[code ?? ''] ?? `${message}.`
}
