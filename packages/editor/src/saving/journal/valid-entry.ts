import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { isValidDocument } from '../../document/valid-document.ts'
import type { JournalEntry } from './journal-entry.ts'

const Content = Type.Object({ name: Type.String(), variantId: Type.String(), document: Type.Object({}) })

const Entry = Type.Object({
  revision: Type.Integer(),
  base: Content,
  mine: Content,
  sent: Type.Array(Content),
  at: Type.Number(),
})

/**
 * Returns a stored value if it is an entry with valid documents. Another release may have stored it, and scripts of the
 * page can write there, too.
 */
export function validEntry(value: unknown): JournalEntry | undefined {
  if (!Check(Entry, value)) return undefined
  const entry = value as JournalEntry
  const contents = [entry.base, entry.mine, ...entry.sent]
  return contents.every(({ document }) => isValidDocument(document)) ? entry : undefined
}
