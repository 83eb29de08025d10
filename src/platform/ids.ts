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

export function defineIds<Kind extends string>(prefixes: Readonly<Record<Kind, string>>): Ids<Kind> {
  return {
    prefixes,
    newId: (kind) => typeid(prefixes[kind]).toString(),
    firstIdAt: (kind, time) => {
      const ms = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
      return TypeID.fromUUID(prefixes[kind], `${ms.slice(0, 8)}-${ms.slice(8)}-0000-0000-000000000000`).toString()
    },
    isId: (kind, value) => {
      try {
        return TypeID.fromString(value, prefixes[kind]).toString() === value
      } catch {
        return false
      }
    },
  }
}

/** Returns when a well-formed id was created (UUIDv7, RFC 9562, section 5.7). */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(TypeID.fromString(id).toUUID().replaceAll('-', '').slice(0, 12), 16))
}
