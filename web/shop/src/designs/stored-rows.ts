import { readStored, store } from '@platen/app/session'

/** The texts of a line of a CSV file, by placeholder. */
export type Row = Readonly<Record<string, string>>

interface RowsOfDesign {
  designId: string
  rows: readonly Row[]
}

/** The storage of a browser is small. Only the designs that got rows last keep them. */
const MOST_DESIGNS = 5

/** Returns the rows that wait for a design to be finalized. */
export const readRows = (designId: string): readonly Row[] =>
  readAll().find((entry) => entry.designId === designId)?.rows ?? []

/** Keeps rows for a design in place of its earlier ones. */
export function keepRows(designId: string, rows: readonly Row[]): void {
  const others = readAll().filter((entry) => entry.designId !== designId)
  const all = rows.length === 0 ? others : [{ designId, rows }, ...others].slice(0, MOST_DESIGNS)
  store('platen.rows', all.length === 0 ? undefined : JSON.stringify(all))
}

function readAll(): readonly RowsOfDesign[] {
  try {
    const value: unknown = JSON.parse(readStored('platen.rows') ?? '[]')
    return Array.isArray(value) ? value.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(value: unknown): value is RowsOfDesign {
  const { designId, rows } = (value ?? {}) as Partial<Record<keyof RowsOfDesign, unknown>>
  return typeof designId === 'string' && Array.isArray(rows) && rows.every(isRow)
}

const isRow = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every((entry) => typeof entry === 'string')
