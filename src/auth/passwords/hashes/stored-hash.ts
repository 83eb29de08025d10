import { readArgon2id } from './argon2id.ts'
import { readBcrypt } from './bcrypt.ts'
import { HashNotUsable, type HashReader, type StoredHash } from './hash-format.ts'
import { readPbkdf2 } from './pbkdf2.ts'
import { readScrypt } from './scrypt.ts'

const READERS: readonly HashReader[] = [readArgon2id, readBcrypt, readScrypt, readPbkdf2]

/**
 * Parses a stored hash: an Argon2id hash of the service, or a hash of the system from which the account was imported.
 *
 * - `$argon2id$v=19$m=65536,t=3,p=4$salt$hash` (PHC string)
 * - `$2a$10$...`, `$2b$...`, `$2y$...` (bcrypt)
 * - `$scrypt$ln=15,r=8,p=1$salt$hash` (PHC string, as passlib writes it)
 * - `$pbkdf2-sha256$i=600000$salt$hash` (PHC string; also `-sha1`, `-sha512`, and `,l=32`)
 * - `$pbkdf2-sha256$600000$salt$hash` (passlib, `.` for `+`; also `$pbkdf2$` for SHA-1, and `-sha512`)
 *
 * Salt and hash are Base64 without padding.
 *
 * @throws {HashNotUsable} with a message for the operator who imports accounts
 */
export function readStoredHash(text: string): StoredHash {
  for (const read of READERS) {
    const found = read(text)
    if (found !== undefined) return found
  }
  throw new HashNotUsable('is in no known format (Argon2id, bcrypt, scrypt, PBKDF2)')
}
