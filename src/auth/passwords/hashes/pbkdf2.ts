import { pbkdf2Sync, timingSafeEqual } from 'node:crypto'
import { HashNotUsable, readBytes, requireWithin, type StoredHash } from './hash-format.ts'

const PHC = /^\$pbkdf2-(sha1|sha256|sha512)\$i=(\d{1,8})(?:,l=(\d{1,3}))?\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/
const PASSLIB = /^\$pbkdf2(?:-(sha256|sha512))?\$(\d{1,8})\$([A-Za-z0-9./]+)\$([A-Za-z0-9./]+)$/

/** Size of each digest in bytes, and maximum number of iterations, which take about a quarter of a second. */
const DIGESTS: Record<string, { bytes: number; iterations: number }> = {
  // The number that OWASP recommends for SHA-1, although it takes a little longer.
  sha1: { bytes: 20, iterations: 1_300_000 },
  sha256: { bytes: 32, iterations: 1_500_000 },
  sha512: { bytes: 64, iterations: 500_000 },
}

/** Reads a PBKDF2 hash with HMAC (RFC 8018). */
export function readPbkdf2(text: string): StoredHash | undefined {
  const phc = PHC.exec(text)
  if (phc !== null) {
    const [, digest = '', iterations, length, salt = '', hash = ''] = phc
    const found = pbkdf2Hash(digest, Number(iterations), salt, hash)
    if (length !== undefined && Number(length) !== Buffer.from(hash, 'base64').length) {
      throw new HashNotUsable(`states l=${length}, but the hash has another length`)
    }
    return found
  }
  const [, digest = 'sha1', iterations, salt, hash] = PASSLIB.exec(text) ?? []
  if (salt === undefined || hash === undefined) return undefined
  return pbkdf2Hash(digest, Number(iterations), salt.replaceAll('.', '+'), hash.replaceAll('.', '+'))
}

function pbkdf2Hash(digest: string, given: number, saltText: string, hashText: string): StoredHash {
  const { salt, expected } = readBytes(saltText, hashText)
  const { bytes, iterations: most } = DIGESTS[digest] ?? { bytes: 1, iterations: 0 }
  // If the hash is longer than the digest, each further part needs all iterations again (RFC 8018, section 5.2).
  const iterations = requireWithin('iterations:', given, 1, Math.floor(most / Math.ceil(expected.length / bytes)))
  return {
    scheme: 'pbkdf2',
    cost: `${digest},i=${iterations}`,
    matches: (password) => timingSafeEqual(pbkdf2Sync(password, salt, iterations, expected.length, digest), expected),
  }
}
