/** A record of a CSV file, and the line of the file in which it begins. */
export interface CsvRecord {
  line: number
  fields: string[]
}

export class CsvError extends Error {
  readonly code: 'not_text' | 'unclosed_quote' | 'too_many_lines'

  constructor(code: CsvError['code'], detail: string) {
    super(detail)
    this.code = code
  }
}

const DELIMITERS = [';', '\t', ','] as const

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
 * Reads CSV (RFC 4180) with commas, semicolons or tabs, and line ends of any system. The header determines the
 * delimiter, unless a first line such as `sep=;` states it. Empty lines are skipped.
 *
 * @param maxRecords limit of records, the header included
 * @throws {CsvError}
 */
export function readCsv(text: string, { maxRecords }: { maxRecords: number }): CsvRecord[] {
  const stated = /^sep=([;,\t])(?:\r\n|\r|\n|$)/i.exec(text)
  const begin = stated === null ? 0 : stated[0].length
  const delimiter = stated?.[1] ?? likeliestDelimiter(text)
  const records: CsvRecord[] = []
  const cursor: Cursor = { text, at: begin, line: stated === null ? 1 : 2 }
  while (cursor.at < text.length) {
    const record = readRecord(cursor, delimiter)
    if (record.fields.every((field) => field.trim() === '')) continue
    if (records.length === maxRecords) {
      throw new CsvError('too_many_lines', `The file has more than ${maxRecords - 1} lines below its header. Split it.`)
    }
    records.push(record)
  }
  return records
}

/** Returns the delimiter that occurs most often in the first line. */
function likeliestDelimiter(text: string): string {
  const header = /^[^\r\n]*/.exec(text)?.[0] ?? ''
  const countOf = (delimiter: string) => header.split(delimiter).length
  return [...DELIMITERS].sort((a, b) => countOf(b) - countOf(a))[0] ?? ','
}

interface Cursor {
  readonly text: string
  at: number
  line: number
}

function readRecord(cursor: Cursor, delimiter: string): CsvRecord {
  const record: CsvRecord = { line: cursor.line, fields: [] }
  for (;;) {
    record.fields.push(readField(cursor, delimiter))
    if (cursor.text[cursor.at] !== delimiter) break
    cursor.at += 1
  }
  skipLineEnd(cursor)
  return record
}

function skipLineEnd(cursor: Cursor): void {
  if (cursor.text.startsWith('\r\n', cursor.at)) cursor.at += 2
  else cursor.at += 1
  cursor.line += 1
}

/** Reads a field up to the delimiter or the line end. Text after a closing quote belongs to the field. */
function readField(cursor: Cursor, delimiter: string): string {
  const quoted = cursor.text[cursor.at] === '"' ? readQuoted(cursor) : ''
  const begin = cursor.at
  while (cursor.at < cursor.text.length && !isEnd(cursor.text[cursor.at], delimiter)) cursor.at += 1
  return quoted + cursor.text.slice(begin, cursor.at)
}

const isEnd = (character: string | undefined, delimiter: string): boolean =>
  character === delimiter || character === '\n' || character === '\r'

/** Reads a quoted part. Two quotes stand for one, and line ends belong to the part. */
function readQuoted(cursor: Cursor): string {
  const { text, line } = cursor
  let content = ''
  for (let from = cursor.at + 1; ; ) {
    const end = text.indexOf('"', from)
    if (end === -1) throw new CsvError('unclosed_quote', `The quote that begins in line ${line} is not closed.`)
    const part = text.slice(from, end)
    content += part
    cursor.line += part.split(/\r\n|\r|\n/).length - 1
    if (text[end + 1] !== '"') {
      cursor.at = end + 1
      return content
    }
    content += '"'
    from = end + 2
  }
}
