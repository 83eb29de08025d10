import { createHash, randomBytes } from 'node:crypto'

export interface KeyDerivation {
  /** Returns the same secret for the same purpose on every node. */
  derive(purpose: string): Buffer
}
/** Makes an opaque bearer secret: 256 random bits in base64url, 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Returns the stored form of a random secret, its SHA-256 in hexadecimal. Secrets of 80 random bits or more need
 * neither salt nor cost, because they cannot be guessed. Not for passwords.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
