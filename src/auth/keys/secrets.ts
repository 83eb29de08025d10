import { createHash, randomBytes } from 'node:crypto'

export interface KeyDerivation {
  /** Returns the same secret for the same purpose on every node. */
  derive(purpose: string): Buffer
  /**
   * Returns what `derive` returns, followed by the keys of the other secrets that the service accepts while its secret
   * is rotated. Decrypt and verify with each of them, encrypt and sign with the first one.
   */
  deriveAll(purpose: string): readonly [Buffer, ...Buffer[]]
}
/** Makes an opaque bearer secret: 256 random bits in base64url, 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Returns the form in which a random secret is stored: its SHA-256 in hexadecimal. Random secrets of 80 bits or more
 * cannot be guessed, so they need neither a salt nor a slow hash. Never use it for passwords.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
