import { createHash, randomBytes } from 'node:crypto'
import { deriveKey, seal, unseal } from '../keys/sealed-box.ts'

const FORM = /^[A-Za-z0-9_-]{43}$/
const SUCCESSOR = 'successor of a refresh token'

/** 256 random bits in base64url: opaque, it says nothing about anyone. */
export function newRefreshToken(): string {
  return randomBytes(32).toString('base64url')
}

export function isRefreshTokenFormed(text: string): boolean {
  return FORM.test(text)
}

/** What is stored in place of the token. */
export function hashRefreshToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/**
 * Encrypts the token that replaces another so that only the bearer of the other can read it: the key is derived from the
 * replaced token, of which the database knows the hash only.
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
