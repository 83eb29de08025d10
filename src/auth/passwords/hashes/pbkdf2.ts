import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { HashNotUsable, readBytes, requireWithin, type StoredHash } from './hash-format.ts'

const PHC = /^\$pbkdf2-(sha1|sha256|sha512)\$i=(\d{1,8})(?:,l=(\d{1,3}))?\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/
const PASSLIB = /^\$pbkdf2(?:-(sha256|sha512))?\$(\d{1,8})\$([A-Za-z0-9./]+)\$([A-Za-z0-9./]+)$/

/** More than three times what OWASP recommends for SHA-256: about a second. */
const MAX_ITERATIONS = 2_000_000

/** PBKDF2 with HMAC (RFC 8018). */
export function readPbkdf2(text: string): StoredHash | undefined {
  const phc = PHC.exec(text)
  if (phc !== null) {
    const [, digest = '', iterations, length, salt = '', hash = ''] = phc
    const found = pbkdf2Hash(digest, Number(iterations), salt, hash)
    if (length !== undefined && Number(length) !== Buffer.from(hash, 'base64').length) {
      throw new HashNotUsable(`says l=${length}, but its hash is of another length`)
    }
    return found
  }
  const [, digest = 'sha1', iterations, salt, hash] = PASSLIB.exec(text) ?? []
  if (salt === undefined || hash === undefined) return undefined
  return pbkdf2Hash(digest, Number(iterations), salt.replaceAll('.', '+'), hash.replaceAll('.', '+'))
}

function pbkdf2Hash(digest: string, given: number, saltText: string, hashText: string): StoredHash {
  const iterations = requireWithin('iterations:', given, 1, MAX_ITERATIONS)
  const { salt, expected } = readBytes(saltText, hashText)
  return {
    scheme: 'pbkdf2',
    cost: `${digest},i=${iterations}`,
    matches: (password) =>
      new Promise((resolve, reject) => {
        pbkdf2(password, salt, iterations, expected.length, digest, (error, key) =>
          error === null ? resolve(timingSafeEqual(key, expected)) : reject(error),
        )
      }),
  }
}
