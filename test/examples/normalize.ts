import { createHash } from 'node:crypto'
import type { Examples } from '../../src/platform/http/operations/document/examples.ts'

/** The time at which the recording starts in the examples. */
const STARTED_AT = Date.parse('2026-03-02T09:00:00Z')
/** Times are rounded, so that the duration of a recording does not change them. */
const ROUND_MS = 10 * 60_000

const ID = /\b([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
const ID_START = '01kjpz4d8gfqcbsrmhxw9'
const MIDNIGHT = 'T00:00:00.000Z'
const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g
const EXAMPLE_JWT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl'
/** Random values in base64url, base 32 or hexadecimal. */
const RANDOM = /(?<![\w./-])(?:(?:platen_test|platen)_)?[A-Za-z0-9_-]{22,}(?![\w./-])/g
/** Secrets and signatures of webhooks, which are in base64. */
const WEBHOOK_SECRET = /\b(?:whsec_|v1,)[A-Za-z0-9+/]{43}=/g
/** Times as numbers, of links, signatures and reconnections. */
const NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/\bexpires=\d{13}\b/g, `expires=${STARTED_AT + 3_600_000}`],
  [/\bretry: \d+\b/g, 'retry: 3000'],
]
/** Longer lists are cut, because the document would become large. */
const MAX_ITEMS = 3

interface Recording {
  startedAt: Date
  /** Texts and what stands for them in the examples. */
  texts: Readonly<Record<string, string>>
}

/** Replaces what differs between two recordings: ids, times, secrets, numbers of orders and IP addresses. */
export function normalizeExamples(examples: Examples, recording: Recording): Examples {
  const normalize = createNormalizer(recording)
  const sorted = <T>(values: Record<string, T>) => Object.fromEntries(Object.entries(values).sort())
  // The order of the replacements follows the order of the recording, the file is sorted.
  const operations = normalize(examples.operations) as Examples['operations']
  return { operations: sorted(operations), events: sorted(normalize(examples.events) as Examples['events']) }
}

function createNormalizer({ startedAt, texts }: Recording): (value: unknown) => unknown {
  const ids = new Map<string, string>()
  const counts = new Map<string, number>()
  const numbers = new Map<string, string>()
  const newId = (id: string, prefix: string): string => {
    const known = ids.get(id)
    if (known !== undefined) return known
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    const made = `${prefix}_${ID_START}${String(count).padStart(5, '0')}`
    ids.set(id, made)
    return made
  }
  const secretOf = createSecrets()
  const text = (given: string): string => {
    let result = given
    for (const [from, to] of Object.entries(texts))
      result = result.replaceAll(from, to).replaceAll(encodeURIComponent(from), encodeURIComponent(to))
    for (const [pattern, to] of NUMBERS) result = result.replaceAll(pattern, to)
    return result
      .replaceAll(ID, newId)
      .replace(DAY, (day) => shiftDay(day, startedAt))
      .replaceAll(TIME, (time) => roundTime(time, startedAt))
      .replaceAll(/\bPL-[0-9A-Z]{4}-[0-9A-Z]{4}\b/g, (number) => {
        const made = numbers.get(number) ?? ORDER_NUMBERS[numbers.size % ORDER_NUMBERS.length] ?? ''
        numbers.set(number, made)
        return made
      })
      .replaceAll(JWT, EXAMPLE_JWT)
      .replaceAll(WEBHOOK_SECRET, secretOf)
      .replaceAll(RANDOM, (random) => (isPlain(random) ? random : secretOf(random)))
      .replaceAll(/\b127\.0\.0\.1\b/g, '192.0.2.10')
  }
  const member = (key: string, value: unknown): unknown => {
    const fixed = FIXED[key]
    if (fixed !== undefined && typeof value === typeof fixed) return fixed
    if (key === 'recoveryCodes' && Array.isArray(value))
      return value.slice(0, MAX_ITEMS).map((code) => secretOf(String(code)))
    if (key === 'nextCursor' && typeof value === 'string') return cursorOf(value, text)
    // Codes of problems have the same name.
    if (key === 'code' && /^\d{6}$/.test(String(value))) return '123456'
    return normalize(value)
  }
  const normalize = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(normalize)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, member(key, one)]))
  }
  return normalize
}

/** Valid numbers of orders, with their check characters. */
const ORDER_NUMBERS = ['PL-7KQ4-M2XD', 'PL-0000-0000']

/** Values of members that would differ although nothing changed. */
const FIXED: Readonly<Record<string, unknown>> = {
  durationMs: 42,
  qrCodeSvg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 41 41">...</svg>',
  date: new Date(STARTED_AT).toUTCString(),
  created: STARTED_AT / 1_000,
  'webhook-timestamp': String(STARTED_AT / 1_000),
  start: 'platen_test_Zk3x',
  last4: 'Qw7e',
}

/** Cursors contain ids. Those of searches are encrypted. */
function cursorOf(cursor: string, text: (given: string) => string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  return /^[ -~]+$/.test(id) ? Buffer.from(text(id)).toString('base64url') : 'c29tZXRoaW5n'
}

/** Moves a day by as many days as a time of the same day. */
function shiftDay(day: string, startedAt: Date): string {
  const today = Date.parse(startedAt.toISOString().slice(0, 10))
  const shifted = new Date(STARTED_AT + Date.parse(day) - today)
  return shifted.toISOString().slice(0, 10)
}

function roundTime(time: string, startedAt: Date): string {
  if (time.endsWith(MIDNIGHT)) return `${shiftDay(time.slice(0, -MIDNIGHT.length), startedAt)}${MIDNIGHT}`
  const passed = Date.parse(time) - startedAt.getTime()
  return new Date(STARTED_AT + Math.round(passed / ROUND_MS) * ROUND_MS).toISOString()
}

/** Whether a long word is no random value, such as the code of a problem or an id that is replaced already. */
function isPlain(text: string): boolean {
  if (text.includes(ID_START) || EXAMPLE_JWT.includes(text)) return true
  return /^(?:[a-z_-]+|[A-Z_]+|\d+)$/.test(text)
}

/**
 * Returns a function that replaces each secret by a value of the same length and alphabet. The value depends only on
 * the number of earlier secrets.
 */
function createSecrets(): (secret: string) => string {
  const known = new Map<string, string>()
  return (secret) => {
    const made = known.get(secret) ?? substitute(secret, known.size)
    known.set(secret, made)
    return made
  }
}

function substitute(secret: string, seed: number): string {
  const [, prefix = '', rest = ''] = /^((?:platen_test_|platen_|whsec_|v1,)?)(.*)$/s.exec(secret) ?? []
  const [, kept = /=/, alphabet = BASE64] = ALPHABETS.find(([pattern]) => pattern.test(rest)) ?? []
  // The length of signatures varies by a byte.
  const length = rest.length > 64 ? rest.length - 8 - ((rest.length - 8) % 32) : rest.length
  let text = ''
  for (let block = 0; text.length < length; block += 1) {
    const bytes = createHash('sha256').update(`${seed} ${block}`).digest()
    text += [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('')
  }
  const made = [...rest.slice(0, length)].map((character, index) => (kept.test(character) ? character : text[index]))
  return `${prefix}${made.join('')}`
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The values of an alphabet, the characters that stay in place, and the alphabet. */
const ALPHABETS: readonly (readonly [RegExp, RegExp, string])[] = [
  [/^[0-9a-f-]+$/, /-/, '0123456789abcdef'],
  [/^[A-Z2-7]+=*$/, /=/, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'],
  [/^[0-9A-Z-]+$/, /-/, BASE32],
  [/^[0-9a-z-]+$/, /-/, BASE32.toLowerCase()],
]
