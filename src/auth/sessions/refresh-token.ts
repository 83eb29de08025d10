import { deriveKey, seal, unseal } from '../../platform/cryptography/sealed-box.ts'

const FORM = /^[A-Za-z0-9_-]{43}$/
const SUCCESSOR = 'successor of a refresh token'

export function isRefreshTokenFormed(text: string): boolean {
  return FORM.test(text)
}

/**
 * Encrypts the successor of a refresh token so that only a client with the replaced token can decrypt it. The
 * encryption key is derived from the replaced token, of which the database contains only the hash.
 */
export function sealSuccessor(token: string, successor: string): Buffer {
  return seal(keyOf(token), Buffer.from(successor), SUCCESSOR)
}

export function openSuccessor(token: string, sealed: Buffer): string {
  return unseal(keyOf(token), sealed, SUCCESSOR).toString()
}

function keyOf(token: string): Buffer {
  return deriveKey(Buffer.from(token, 'base64url'), 'platen refresh successor 1')
}
