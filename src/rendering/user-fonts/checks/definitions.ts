import { contradiction, readerOf } from '../sfnt/reader.ts'
import type { FontTables } from '../sfnt/tables.ts'
import { type CountSteps, readClasses, readCoverage } from './coverage.ts'

/**
 * Checks that the glyph classes, mark classes and mark sets of the table "GDEF" lie within the table.
 *
 * @throws {Refused} `font_unreadable`
 */
export function checkDefinitions(tables: FontTables, count: CountSteps): void {
  if (!tables.has('GDEF')) return
  const table = readerOf(tables, 'GDEF')
  if (table.u16(0) !== 1) throw contradiction('GDEF', 'has an unknown version')
  for (const field of [4, 10]) {
    const offset = table.u16(field)
    if (offset !== 0) readClasses(table, offset, count)
  }
  const sets = table.u16(2) >= 2 ? table.u16(12) : 0
  if (sets === 0) return
  const size = table.u16(sets + 2)
  for (let i = 0; i < size; i++) {
    const offset = table.u32(sets + 4 + i * 4)
    if (offset !== 0) readCoverage(table, sets + offset, count)
  }
}
