import { FORMULA_FAULT, isFormula, unwrapped } from '../../platform/csv/cells.ts'
import type { LineFaultBody } from '../../platform/csv/csv-body.ts'
import type { CsvRecord } from '../../platform/csv/read-csv.ts'
import type { Column, Columns } from './columns.ts'

export interface ImportLine {
  line: number
  productId: string
  revision: number | undefined
  /** Undefined: the SKU names the variant. */
  variantId: string | undefined
  sku: string | undefined
  weightGrams: number | undefined
  available: boolean | undefined
  /** Amounts as they are written, with the name of their column. Empty: the prices stay. */
  prices: { minQuantity: number; text: string; title: string }[]
  errors: LineFaultBody[]
}

const YES = ['yes', 'true', '1', 'ja', 'wahr', 'x']
const NO = ['no', 'false', '0', 'nein', 'falsch']
const MAX_WEIGHT_GRAMS = 1_000_000

/** Translates a record of the file into the values that it names, with the faults of each. */
export function readLine({ line, fields }: CsvRecord, { found, prices }: Columns): ImportLine {
  const errors: LineFaultBody[] = []
  const cell = ({ index, title }: { index: number; title: string }): string => {
    const value = withoutMark(unwrapped(fields[index] ?? ''))
    // A SKU may begin with a hyphen, and no other value of this file is a text.
    if (isFormula(value) && !/^-[\w.-]*$/.test(value)) {
      errors.push({ ...FORMULA_FAULT, column: title })
      return ''
    }
    return value
  }
  const read = <Value>(column: Column, parse: (text: string) => Value | undefined, detail: string) => {
    const place = found.get(column)
    const text = place === undefined ? '' : cell(place)
    if (text === '') return undefined
    const value = parse(text)
    if (value === undefined) errors.push({ code: 'wrong_format', column: place?.title ?? column, detail })
    return value
  }
  const text = (value: string): string => value.slice(0, 64)
  const productId = read('productId', text, '') ?? ''
  if (productId === '') {
    errors.push({
      code: 'required',
      column: found.get('productId')?.title ?? 'product id',
      detail: 'The line names no product.',
    })
  }
  return {
    line,
    productId,
    revision: read('revision', (value) => wholeNumber(value, 2 ** 31 - 1), 'The revision is a whole number.'),
    variantId: read('variantId', text, ''),
    sku: read('sku', skuOf, 'A SKU has 1 to 64 letters, digits, dots, hyphens and underscores.'),
    weightGrams: read(
      'weight',
      (value) => wholeNumber(value, MAX_WEIGHT_GRAMS),
      'The weight is a whole number of grams, up to 1000000.',
    ),
    available: read('available', yesOrNo, 'The value is neither `yes` nor `no`.'),
    prices: prices.flatMap(({ minQuantity, index, title }) => {
      const value = cell({ index, title })
      return value === '' ? [] : [{ minQuantity, text: value, title }]
    }),
    errors,
  }
}

/** Exports put an apostrophe before a text that would be a formula. */
const withoutMark = (value: string): string =>
  value.startsWith("'") && isFormula(value.slice(1)) ? value.slice(1) : value

const skuOf = (value: string): string | undefined => (/^[A-Za-z0-9._-]{1,64}$/.test(value) ? value : undefined)

function wholeNumber(value: string, max: number): number | undefined {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  return number <= max ? number : undefined
}

function yesOrNo(value: string): boolean | undefined {
  const word = value.toLowerCase()
  return YES.includes(word) ? true : NO.includes(word) ? false : undefined
}
