import { readerOf } from '../sfnt/reader.ts'
import type { FontTables } from '../sfnt/tables.ts'

/**
 * Checks that the names of a font lie within the table "name".
 *
 * @throws {Refused} `font_unreadable`
 */
export function checkNames(tables: FontTables): void {
  const table = readerOf(tables, 'name')
  const count = table.u16(2)
  const textsAt = table.u16(4)
  for (let i = 0; i < count; i++) {
    const entry = 6 + i * 12
    table.requireRange(textsAt + table.u16(entry + 10), table.u16(entry + 8))
  }
}
