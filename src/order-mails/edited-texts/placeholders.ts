import type { OrderMailKind } from '../kinds.ts'

/** What texts of every mail can state. */
const COMMON = ['number', 'date', 'name', 'total', 'shop'] as const

/** What texts of a mail can state besides. Some stand for a whole sentence, which depends on the order. */
const OWN = {
  order_received: ['payment'],
  order_paid: [],
  order_on_hold: ['todo'],
  order_shipped: ['carrier', 'tracking', 'rest'],
  order_delivered: [],
  order_cancelled: ['refund'],
  order_refunded: ['refunded'],
} as const satisfies Readonly<Record<OrderMailKind, readonly string[]>>

export type Placeholder = (typeof COMMON)[number] | (typeof OWN)[OrderMailKind][number]

export type PlaceholderValues = Readonly<Record<Placeholder, string>>

const SENTENCES: ReadonlySet<Placeholder> = new Set(['payment', 'todo', 'rest', 'refund'])

/** All placeholders of a mail, in the order in which the console offers them. */
export const placeholdersOf = (kind: OrderMailKind): readonly Placeholder[] => [...COMMON, ...OWN[kind]]

/** Returns the placeholder of the sentence that the service adds in some cases, such as that further parcels follow. */
export const sentenceOf = (kind: OrderMailKind): Placeholder | undefined =>
  OWN[kind].find((placeholder) => SENTENCES.has(placeholder))

// Spaces around the name are removed afterwards: several quantifiers that all match spaces would take cubic time.
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

export interface PlaceholderFault {
  code: 'placeholder_unknown' | 'placeholder_malformed'
  /** What is between the braces, or the braces that belong to no placeholder. */
  placeholder: string
}

/** Finds what cannot be filled in: unknown names, and braces that belong to no placeholder. */
export function findFaults(kind: OrderMailKind, text: string): PlaceholderFault[] {
  const known: ReadonlySet<string> = new Set(placeholdersOf(kind))
  const unknown = new Set(
    Array.from(text.matchAll(PLACEHOLDER), ([, name = '']) => name.trim()).filter((one) => !known.has(one)),
  )
  const rest = text.replaceAll(PLACEHOLDER, '')
  const braces = ['{{', '}}'].filter((one) => rest.includes(one))
  return [
    ...Array.from(unknown, (placeholder) => ({ code: 'placeholder_unknown' as const, placeholder })),
    ...braces.map((placeholder) => ({ code: 'placeholder_malformed' as const, placeholder })),
  ]
}

/** Fills in a text. Values are not searched for placeholders again: a customer can have any name. */
export const fill = (text: string, values: PlaceholderValues): string =>
  text.replaceAll(PLACEHOLDER, (_, inner: string) => {
    const name = inner.trim()
    return Object.hasOwn(values, name) ? values[name as Placeholder] : ''
  })
