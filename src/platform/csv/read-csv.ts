import { CsvError as ParserError, parse } from 'csv-parse/sync'

/** A record of a CSV file, and the line of the file in which it begins. */
export interface CsvRecord {
  line: number
  fields: string[]
}

export class CsvError extends Error {
  readonly code: 'not_text' | 'unclosed_quote' | 'too_many_lines' | 'too_many_columns'

  constructor(code: CsvError['code'], detail: string) {
    super(detail)
    this.code = code
  }
}

const DELIMITERS = [';', '\t', ','] as const

const MAX_COLUMNS = 200
/** On average, over as many records as a file may have. */
const MAX_FIELDS_OF_RECORD = 50

/**
 * Decodes the bytes of a text file: UTF-8, UTF-16 with a byte order mark, or Windows-1252, in which Excel saves CSV
 * files in Western Europe.
 *
 * @throws {CsvError}
 */
export function decodeText(bytes: Uint8Array): string {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
  if (text.includes('\0')) throw new CsvError('not_text', 'The file is not a text file. Save it as CSV.')
  return text
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/**
 * Reads CSV (RFC 4180) with commas, semicolons or tabs, and line ends of any system, which are `\n` in the result. The
 * header determines the delimiter, unless a first line such as `sep=;` states it. Empty lines are skipped.
 *
 * @param maxRecords limit of records, the header included
 * @throws {CsvError}
 */
export function readCsv(text: string, { maxRecords }: { maxRecords: number }): CsvRecord[] {
  // csv-parse would count the two characters of a line end in quotes as two lines.
  const whole = text.replaceAll(/\r\n?/g, '\n')
  const stated = /^sep=([;,\t])(?:\n|$)/i.exec(whole)
  const skippedLines = stated === null ? 0 : 1
  const table = whole.slice(stated?.[0].length ?? 0)
  const delimiter = stated?.[1] ?? likeliestDelimiter(table)
  requireFewFields(table, delimiter, maxRecords)
  const rows = parseTable(table, { delimiter, to: maxRecords + 1 }, skippedLines)
  requireFewColumns(rows[0]?.record.length ?? 0)
  if (rows.length > maxRecords) {
    throw new CsvError('too_many_lines', `The file has more than ${maxRecords - 1} lines below its header. Split it.`)
  }
  return rows.map(({ record, info }) => {
    const linesInside = record.join('').split('\n').length - 1
    return { line: skippedLines + info.lines - linesInside, fields: record }
  })
}

interface Row {
  record: string[]
  /** `lines`: the line in which the record ends. */
  info: { lines: number }
}

function parseTable(table: string, limits: { delimiter: string; to: number }, skippedLines: number): Row[] {
  try {
    return parse(table, {
      ...limits,
      info: true,
      record_delimiter: '\n',
      // Spreadsheets write `="0034"` for texts that look like numbers.
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    }) as unknown as Row[]
  } catch (error) {
    if (!(error instanceof ParserError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error
    const read = Buffer.from(table).subarray(0, Number(error['bytes_records'])).toString()
    const line = skippedLines + read.split('\n').length
    throw new CsvError('unclosed_quote', `A quote that begins in line ${line} or below is not closed.`)
  }
}

/** Parsing a field takes as long as reading hundreds of characters, and nothing can interrupt it. */
function requireFewFields(table: string, delimiter: string, maxRecords: number): void {
  if (count(table, delimiter) > maxRecords * MAX_FIELDS_OF_RECORD) {
    throw new CsvError('too_many_columns', 'The lines of the file have too many fields.')
  }
}

function requireFewColumns(columns: number): void {
  if (columns <= MAX_COLUMNS) return
  throw new CsvError('too_many_columns', `The file has ${columns} columns, and ${MAX_COLUMNS} are possible.`)
}

/** Returns the delimiter that occurs most often in the first line. */
function likeliestDelimiter(table: string): string {
  const header = firstLineOf(table)
  return [...DELIMITERS].sort((a, b) => count(header, b) - count(header, a))[0] ?? ','
}

function firstLineOf(table: string): string {
  const end = table.indexOf('\n')
  return end < 0 ? table : table.slice(0, end)
}

function count(text: string, character: string): number {
  let found = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) found += 1
  return found
}
