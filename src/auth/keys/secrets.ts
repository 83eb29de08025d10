import { createHash, randomBytes } from 'node:crypto'

/** Derives secrets from the secret of the service. */
export interface KeyDerivation {
  /** The same secret for the same purpose on every node. */
  derive(purpose: string): Buffer
}
/** A secret for one bearer: 256 random bits in base64url, 43 characters. Opaque, it says nothing about anyone. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * The stored form of a random secret: its SHA-256 in hexadecimal. A plain hash will do, with neither salt nor
 * cost: 80 random bits and more cannot be guessed, however fast a guess is. Not for passwords.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
