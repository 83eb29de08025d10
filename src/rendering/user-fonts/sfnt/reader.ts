import { unreadable } from './refuse.ts'
import { type FontTables, tableView } from './tables.ts'

/** Reads big-endian numbers from one table. Throws `Refused` for positions outside the table. */
export interface TableReader {
  readonly tag: string
  readonly length: number
  u8(at: number): number
  u16(at: number): number
  i16(at: number): number
  u24(at: number): number
  u32(at: number): number
  /**
   * Checks that a part lies within the table.
   *
   * @throws {Refused} `font_unreadable`
   */
  requireRange(start: number, length: number): void
}

/**
 * Opens a table for reading. A missing table counts as an empty one.
 *
 * For a position outside the table, each method throws `Refused` (`font_unreadable`) with the name of the table.
 */
export function readerOf(tables: FontTables, tag: string): TableReader {
  const view = tableView(tables, tag)
  const length = view.byteLength
  const requireRange = (start: number, size: number) => {
    if (start < 0 || start + size > length) throw contradiction(tag, 'refers to data outside of the table')
  }
  const reading =
    (size: number, read: (at: number) => number) =>
    (at: number): number => {
      requireRange(at, size)
      return read(at)
    }
  return {
    tag,
    length,
    requireRange,
    u8: reading(1, (at) => view.getUint8(at)),
    u16: reading(2, (at) => view.getUint16(at)),
    i16: reading(2, (at) => view.getInt16(at)),
    u24: reading(3, (at) => view.getUint16(at) * 256 + view.getUint8(at + 2)),
    u32: reading(4, (at) => view.getUint32(at)),
  }
}

/**
 * Creates the error for a font whose tables contradict each other. `what` completes the sentence 'The table "x" of the
 * font ...'.
 */
export function contradiction(tag: string, what: string) {
  return unreadable(`The table "${tag.trim()}" of the font ${what}.`)
}
