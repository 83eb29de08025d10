import { argon2Sync, timingSafeEqual } from 'node:crypto'
import { HashNotUsable, readBytes, requireWithin, type StoredHash } from './hash-format.ts'

/**
 * Cost of one hash. The OWASP Password Storage Cheat Sheet requires at least 19 MiB of memory, two passes and one lane.
 */
export interface Argon2Cost {
  memoryKiB: number
  passes: number
  lanes: number
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const MAX_MEMORY_KIB = 131_072
const MAX_PASSES = 10
/** Maximum of memory in KiB times passes, which determines the time: 64 MiB and four passes, as in PHP and Laravel. */
const MAX_WORK = 262_144
const MAX_LANES = 16
/** The minimum of the algorithm itself (RFC 9106, section 3.1). */
const MIN_SALT_BYTES = 8

export interface Argon2Parts {
  cost: Argon2Cost
  salt: Buffer
  tag: Buffer
}

export function readArgon2id(text: string): StoredHash | undefined {
  const parts = readArgon2Parts(text)
  return parts && argon2idHash(parts)
}

/**
 * @returns undefined if the text has another scheme
 * @throws {HashNotUsable}
 */
export function readArgon2Parts(text: string): Argon2Parts | undefined {
  const [, memory, t, p, saltText, tagText] = PHC.exec(text) ?? []
  if (saltText === undefined || tagText === undefined) return undefined
  const lanes = requireWithin('p =', Number(p), 1, MAX_LANES)
  const memoryKiB = requireWithin('m =', Number(memory), 8 * lanes, MAX_MEMORY_KIB)
  const cost = { memoryKiB, passes: requireWithin('t =', Number(t), 1, MAX_PASSES), lanes }
  requireWithin('m * t =', memoryKiB * cost.passes, 1, MAX_WORK)
  const { salt, expected } = readBytes(saltText, tagText)
  if (salt.length < MIN_SALT_BYTES) throw new HashNotUsable(`has a salt of less than ${MIN_SALT_BYTES} bytes`)
  return { cost, salt, tag: expected }
}

function argon2idHash({ cost, salt, tag }: Argon2Parts): StoredHash {
  return {
    scheme: 'argon2id',
    cost: costText(cost),
    matches: (password) => timingSafeEqual(deriveArgon2id(password, salt, cost, tag.length), tag),
  }
}

export function deriveArgon2id(
  password: string,
  salt: Uint8Array,
  { memoryKiB: memory, passes, lanes: parallelism }: Argon2Cost,
  tagLength: number,
): Buffer {
  return argon2Sync('argon2id', { message: password, nonce: salt, parallelism, tagLength, memory, passes })
}

export function costText({ memoryKiB, passes, lanes }: Argon2Cost): string {
  return `m=${memoryKiB},t=${passes},p=${lanes}`
}

/** Writes a hash as a PHC string: `$argon2id$v=19$m=...,t=...,p=...$salt$tag`. */
export function toPhc({ cost, salt, tag }: Argon2Parts): string {
  const encode = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$${costText(cost)}$${encode(salt)}$${encode(tag)}`
}
