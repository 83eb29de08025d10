import { TypeID, typeid } from 'typeid-js'

/** The prefix of every kind of record that has an address or appears in an answer. */
export const ID_PREFIXES = {
  user: 'usr',
  session: 'ses',
  apiKey: 'key',
  credential: 'cred',
  factor: 'fac',
  challenge: 'chl',
  securityEvent: 'aud',
  product: 'prd',
  variant: 'var',
  asset: 'ast',
  font: 'fnt',
  colorProfile: 'icc',
  design: 'dsn',
  finalization: 'fin',
  quote: 'quo',
  order: 'ord',
  orderItem: 'itm',
  payment: 'pay',
  refund: 'ref',
  shipment: 'shp',
  event: 'evt',
  webhookEndpoint: 'whk',
  delivery: 'dlv',
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** Makes a TypeID: a prefix and a UUIDv7, so that ids sort by the time they were made. */
export function newId(kind: IdKind): string {
  return typeid(ID_PREFIXES[kind]).toString()
}

/** What every id of this kind that is made at this moment or later sorts behind. */
export function firstIdAt(kind: IdKind, moment: Date): string {
  const ms = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return TypeID.fromUUID(ID_PREFIXES[kind], `${ms.slice(0, 8)}-${ms.slice(8)}-0000-0000-000000000000`).toString()
}

/** Whether a string is a well-formed id of this kind. A malformed id is answered like an unknown one. */
export function isId(kind: IdKind, value: string): boolean {
  try {
    return TypeID.fromString(value, ID_PREFIXES[kind]).toString() === value
  } catch {
    return false
  }
}

/** When a well-formed id was made (UUIDv7, RFC 9562, 5.7). */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(TypeID.fromString(id).toUUID().replaceAll('-', '').slice(0, 12), 16))
}
