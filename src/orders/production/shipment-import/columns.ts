import type { ProblemDetail } from '../../../platform/problem.ts'
import { orderProblems } from '../../problems.ts'

export const COLUMNS = ['order', 'carrier', 'trackingNumber', 'trackingUrl', 'shippedAt'] as const
export type Column = (typeof COLUMNS)[number]

const REQUIRED: readonly Column[] = ['order', 'carrier']

/** Names of the columns in lower case, without spaces and punctuation. */
const NAMES: Readonly<Record<Column, readonly string[]>> = {
  order: ['order', 'ordernumber', 'orderid', 'number', 'bestellung', 'bestellnummer'],
  carrier: ['carrier', 'versanddienst', 'versanddienstleister'],
  trackingNumber: ['trackingnumber', 'tracking', 'trackingno', 'sendungsnummer'],
  trackingUrl: ['trackingurl', 'trackinglink', 'sendungslink'],
  shippedAt: ['shippedat', 'shippedon', 'shippeddate', 'shipdate', 'versanddatum'],
}

export interface Columns {
  /** Position of each column in a record, and its name in the file. */
  found: ReadonlyMap<Column, { index: number; title: string }>
  ignored: string[]
}

/**
 * Finds the columns of an import in the header of its file.
 *
 * @throws `shipment_file_invalid`
 */
export function readHeader(header: readonly string[]): Columns {
  const found = new Map<Column, { index: number; title: string }>()
  const ignored: string[] = []
  const errors: ProblemDetail[] = []
  for (const [index, field] of header.entries()) {
    const title = field.trim().slice(0, 64)
    const column = columnOf(title)
    if (column === undefined) {
      if (title !== '') ignored.push(title)
    } else if (found.has(column)) {
      errors.push({
        code: 'column_repeated',
        detail: `The columns ${found.get(column)?.title} and ${title} are the same.`,
      })
    } else {
      found.set(column, { index, title })
    }
  }
  for (const column of REQUIRED) {
    if (found.has(column)) continue
    const detail = `The header has no column ${column}. Possible names: ${NAMES[column].join(', ')}.`
    errors.push({ code: 'column_missing', detail })
  }
  if (errors.length > 0) throw orderProblems.shipment_file_invalid({ errors })
  return { found, ignored }
}

function columnOf(title: string): Column | undefined {
  const name = title.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return COLUMNS.find((column) => NAMES[column].includes(name))
}
