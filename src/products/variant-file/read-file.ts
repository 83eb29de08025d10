import { setImmediate as nextTurn } from 'node:timers/promises'
import { CsvError, type CsvRecord, decodeText, readCsv } from '../../platform/csv/read-csv.ts'
import { productProblems } from '../problems.ts'
import { type Columns, readHeader } from './columns.ts'
import { type ImportLine, readLine } from './read-line.ts'

export const MAX_LINES = 2_000

/** Lines that are read without a pause of the event loop. */
const LINES_AT_ONCE = 100

export interface ReadFile {
  columns: Columns
  lines: ImportLine[]
}

/**
 * Reads a file with variants.
 *
 * @throws `variant_file_invalid` if the file as a whole cannot be read
 */
export async function readVariantFile(bytes: Uint8Array): Promise<ReadFile> {
  const [header, ...records] = readRecords(bytes)
  const columns = readHeader(header?.fields ?? [])
  const lines: ImportLine[] = []
  for (const [index, record] of records.entries()) {
    if (index % LINES_AT_ONCE === 0) await nextTurn()
    lines.push(readLine(record, columns))
  }
  return { columns, lines }
}

function readRecords(bytes: Uint8Array): CsvRecord[] {
  try {
    return readCsv(decodeText(bytes), { maxRecords: MAX_LINES + 1 })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw productProblems.variant_file_invalid({ errors: [{ code: error.code, detail: error.message }] })
  }
}
