import { TypeID, typeid } from 'typeid-js'

export interface Ids<Kind extends string> {
  prefixes: Readonly<Record<Kind, string>>
  /** Creates a TypeID: a prefix and a UUIDv7, so that ids sort by creation time. */
  newId(kind: Kind): string
  /** Returns a lower bound of ids: every id of this kind that is created at this time or later sorts after it. */
  firstIdAt(kind: Kind, time: Date): string
  /**
   * Tells whether a string is a well-formed id of this kind. A malformed id gets the same response as an unknown id.
   */
  isId(kind: Kind, value: string): boolean
}

/** What follows the prefix: 128 bits in the alphabet of TypeID, which leaves out i, l, o and u. */
const SUFFIX = '_[0-7][0-9a-hjkmnp-tv-z]{25}'

export function defineIds<Kind extends string>(prefixes: Readonly<Record<Kind, string>>): Ids<Kind> {
  // A pattern, because each request checks an id, and decoding one takes fifty times as long.
  const patterns = new Map<string, RegExp>()
  for (const [kind, prefix] of Object.entries(prefixes)) patterns.set(kind, new RegExp(`^${prefix}${SUFFIX}$`))
  return {
    prefixes,
    newId: (kind) => typeid(prefixes[kind]).toString(),
    firstIdAt: (kind, time) => {
      const ms = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
      return TypeID.fromUUID(prefixes[kind], `${ms.slice(0, 8)}-${ms.slice(8)}-0000-0000-000000000000`).toString()
    },
    isId: (kind, value) => patterns.get(kind)?.test(value) === true,
  }
}

/** Returns when a well-formed id was created (UUIDv7, RFC 9562, section 5.7). */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(TypeID.fromString(id).toUUID().replaceAll('-', '').slice(0, 12), 16))
}
