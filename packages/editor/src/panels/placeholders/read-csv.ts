import type { PlaceholderData } from '@platen/drawing'
import Papa from 'papaparse'

/** One item of a later order: a row of the file. */
export interface CsvItem {
  /** The number of the row below the headings, from 1. */
  row: number
  data: PlaceholderData
  /** Placeholders without a value. An order with such an item would be refused. */
  missing: readonly string[]
}

export interface CsvItems {
  items: readonly CsvItem[]
  /** Placeholders for which the file has no column. */
  missingColumns: readonly string[]
  /** Columns that name no placeholder. */
  unusedColumns: readonly string[]
}

/** Reads items for the placeholders `names`. Columns match by their headings, whatever their case. */
export function readItems(csv: string, names: readonly string[]): CsvItems {
  const [headings = [], ...rows] = Papa.parse<string[]>(csv, { skipEmptyLines: 'greedy' }).data
  const keys = headings.map(keyOf)
  const columns = new Map(names.map((name) => [name, keys.indexOf(keyOf(name))]))
  const wanted = new Set(names.map(keyOf))
  const items = rows.map((cells, i): CsvItem => {
    const values = names.map((name) => [name, clean(cells[columns.get(name) ?? -1] ?? '')] as const)
    const filled = values.filter(([, value]) => value !== '')
    const missing = values.filter(([, value]) => value === '').map(([name]) => name)
    return { row: i + 1, data: Object.fromEntries(filled), missing }
  })
  return {
    items,
    missingColumns: names.filter((name) => columns.get(name) === -1),
    unusedColumns: headings.filter((heading) => clean(heading) !== '' && !wanted.has(keyOf(heading))),
  }
}

/** Decodes a file. Spreadsheets on Windows also write Windows-1252. */
export function decodeCsv(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function keyOf(heading: string): string {
  return clean(heading).replaceAll(/\s+/g, ' ').toLocaleLowerCase('en')
}

/** The service refuses NUL and lone surrogates in texts. */
function clean(value: string): string {
  return value.replaceAll('\0', '').toWellFormed().trim()
}
