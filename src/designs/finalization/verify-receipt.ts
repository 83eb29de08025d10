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
    throw new ReceiptRejected(`The receipt is not genuine: ${(error as Error).message}`, { cause: error })
  }
}
