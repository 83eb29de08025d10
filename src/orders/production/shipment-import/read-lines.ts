import { Type } from 'typebox'
import { FORMULA_FAULT, isFormula, unwrapped } from '../../../platform/csv/cells.ts'
import type { LineFaultBody } from '../../../platform/csv/csv-body.ts'
import type { CsvRecord } from '../../../platform/csv/read-csv.ts'
import { createValueCheck } from '../../../platform/http/input/check-value.ts'
import { Problem, type ProblemDetail } from '../../../platform/problem.ts'
import { isId } from '../../ids.ts'
import { normalizeOrderNumber } from '../../order/order-number.ts'
import { parcelMembers } from '../schemas.ts'
import type { ShipmentRequest } from '../store.ts'
import type { Column, Columns } from './columns.ts'

export interface ImportLine {
  line: number
  /** The order as the file names it. */
  order: string
  /** The normalized number of the order, or its id. Undefined if the line names no order. */
  key: { number: string } | { id: string } | undefined
  parcel: ShipmentRequest
  errors: LineFaultBody[]
}

const checkParcel = createValueCheck(Type.Object(parcelMembers, { additionalProperties: false }))

/** Translates a record of the file into the parcel that it describes, with the faults of its values. */
export function readLine({ line, fields }: CsvRecord, { found }: Columns): ImportLine {
  const values = new Map<Column, string>()
  const errors: LineFaultBody[] = []
  for (const [column, { index, title }] of found) {
    const value = unwrapped(fields[index] ?? '')
    if (value === '') continue
    const fault = faultOfValue(column, value)
    if (fault === undefined) values.set(column, value)
    else errors.push({ ...fault, column: title })
  }
  const order = (values.get('order') ?? '').slice(0, 64)
  const key = keyOf(order)
  const { parcel, faults } = readParcel(values)
  if (key === undefined) faults.unshift({ ...orderFault(order), column: 'order' })
  for (const { column, ...fault } of faults) {
    const title = found.get(column)?.title ?? column
    // One fault of a value is enough: the others follow from it.
    if (!errors.some((known) => known.column === title)) errors.push({ ...fault, column: title })
  }
  return { line, order, key, parcel, errors }
}

const MANGLED_NUMBER = /^\d(?:[.,]\d+)?E\+?\d+$/i

function faultOfValue(column: Column, value: string): Omit<LineFaultBody, 'column'> | undefined {
  if (isFormula(value)) return FORMULA_FAULT
  if (column === 'trackingNumber' && MANGLED_NUMBER.test(value)) {
    const detail = 'A spreadsheet has rounded this number. Format the column as text before you enter the numbers.'
    return { code: 'rounded_number', detail }
  }
  return undefined
}

function keyOf(order: string): ImportLine['key'] {
  if (isId('order', order)) return { id: order }
  const number = normalizeOrderNumber(order)
  return number === undefined ? undefined : { number }
}

function orderFault(order: string): Omit<LineFaultBody, 'column'> {
  if (order === '') return { code: 'required', detail: 'The line names no order.' }
  return {
    code: 'order_number_invalid',
    detail: 'This is neither an order number nor an order id. Check it for typing errors.',
  }
}

function readParcel(values: ReadonlyMap<Column, string>): {
  parcel: ShipmentRequest
  faults: (LineFaultBody & { column: Column })[]
} {
  const optional = (column: 'trackingNumber' | 'trackingUrl' | 'shippedAt') => {
    const value = values.get(column)
    return value === undefined ? {} : { [column]: column === 'shippedAt' ? readDate(value) : value }
  }
  const parcel: ShipmentRequest = {
    carrier: values.get('carrier') ?? '',
    ...optional('trackingNumber'),
    ...optional('trackingUrl'),
    ...optional('shippedAt'),
  }
  if (parcel.carrier === '') {
    return { parcel, faults: [{ code: 'required', detail: 'The line names no carrier.', column: 'carrier' }] }
  }
  try {
    checkParcel({ ...parcel })
    if (parcel.shippedAt === undefined || isTime(parcel.shippedAt)) return { parcel, faults: [] }
    return { parcel, faults: [{ code: 'wrong_format', detail: 'This date does not exist.', column: 'shippedAt' }] }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { parcel, faults: (error.extras.errors ?? []).map(toFault) }
  }
}

function toFault({ code, pointer = '', detail }: ProblemDetail): LineFaultBody & { column: Column } {
  return { code, detail, column: pointer.slice(1) as Column }
}

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text))

/** A date without a time is noon in UTC, so that it is the same day in most time zones. */
function readDate(value: string): string {
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(value) ?? []
  const date = day === undefined ? value : `${year}-${month?.padStart(2, '0')}-${day.padStart(2, '0')}`
  return /^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T12:00:00.000Z` : date
}
