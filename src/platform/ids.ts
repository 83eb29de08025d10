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

/** Whether a string is a well-formed id of this kind. A malformed id is answered like an unknown one. */
export function isId(kind: IdKind, value: string): boolean {
  try {
    return TypeID.fromString(value, ID_PREFIXES[kind]).toString() === value
  } catch {
    return false
  }
}
