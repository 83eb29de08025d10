/** A parsed password hash whose cost is within the limits. */
export interface StoredHash {
  scheme: 'argon2id' | 'bcrypt' | 'scrypt' | 'pbkdf2'
  /** The cost as text. Two hashes with the same scheme and cost take the same time. */
  cost: string
  /** Hashes the password off the event loop. */
  matches(password: string): Promise<boolean>
}

/** Parses the text of one scheme; undefined for other schemes. @throws {HashNotUsable} */
export type HashReader = (text: string) => StoredHash | undefined

/** A text that is no hash, or whose cost exceeds the limits. */
export class HashNotUsable extends Error {}

/** @throws {HashNotUsable} naming the value out of range: a hash made to take minutes must not stop the service */
export function requireWithin(name: string, value: number, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new HashNotUsable(`has ${name} ${value}, but only ${min} to ${max} is taken`)
  }
  return value
}

const MAX_SALT_BYTES = 128
const MIN_HASH_BYTES = 16
const MAX_HASH_BYTES = 64

/** Reads salt and hash in Base64 without padding. @throws {HashNotUsable} */
export function readBytes(salt: string, hash: string): { salt: Buffer; expected: Buffer } {
  const [saltBytes, expected] = [Buffer.from(salt, 'base64'), Buffer.from(hash, 'base64')]
  requireWithin('bytes of salt:', saltBytes.length, 1, MAX_SALT_BYTES)
  requireWithin('bytes of hash:', expected.length, MIN_HASH_BYTES, MAX_HASH_BYTES)
  return { salt: saltBytes, expected }
}
