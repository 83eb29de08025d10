/** A parsed password hash whose cost is within the limits. */
export interface StoredHash {
  scheme: 'argon2id' | 'bcrypt' | 'scrypt' | 'pbkdf2'
  /** The cost as text. Computing two hashes takes the same time if scheme and cost are equal. */
  cost: string
  /** Hashes a password, which takes up to a quarter of a second, and returns whether it has this hash. */
  matches(password: string): boolean
}

/**
 * Parses a hash of one scheme. Returns undefined if the text has another scheme.
 *
 * @throws {HashNotUsable}
 */
export type HashReader = (text: string) => StoredHash | undefined

/** Thrown if a text is not a hash, or if the cost of the hash exceeds the limits. */
export class HashNotUsable extends Error {}

/**
 * Returns a value if it is within limits. The limits prevent an imported hash from taking minutes to verify, which
 * would block the service.
 *
 * @throws {HashNotUsable} with the name of the value
 */
export function requireWithin(name: string, value: number, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new HashNotUsable(`has ${name} ${value}, but only ${min} to ${max} is accepted`)
  }
  return value
}

const MAX_SALT_BYTES = 128
const MIN_HASH_BYTES = 16
const MAX_HASH_BYTES = 64

/**
 * Reads salt and hash, which are in Base64 without padding.
 *
 * @throws {HashNotUsable}
 */
export function readBytes(salt: string, hash: string): { salt: Buffer; expected: Buffer } {
  const [saltBytes, expected] = [Buffer.from(salt, 'base64'), Buffer.from(hash, 'base64')]
  requireWithin('bytes of salt:', saltBytes.length, 1, MAX_SALT_BYTES)
  requireWithin('bytes of hash:', expected.length, MIN_HASH_BYTES, MAX_HASH_BYTES)
  return { salt: saltBytes, expected }
}
