import { FORMULA_FAULT, isFormula, unwrapped } from '../../platform/csv/cells.ts'
import type { LineFaultBody } from '../../platform/csv/csv-body.ts'
import type { CsvRecord } from '../../platform/csv/read-csv.ts'
import type { Column, Columns } from './columns.ts'
import { type Choice, readChoices } from './options-cell.ts'

/** What a line says of a new product. Undefined: the line leaves it to another line of the product. */
export interface NewProductLine {
  name: string
  currency: string | undefined
  widthMm: number | undefined
  heightMm: number | undefined
  bleedMm: number | undefined
  safeMarginMm: number | undefined
  options: Choice[]
}

export interface ImportLine {
  line: number
  /** Empty for a new product. */
  productId: string
  /** Undefined for a product that exists, and if the line names no product. */
  newProduct: NewProductLine | undefined
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
  const read = <Value>(
    column: Column,
    parse: (text: string) => Value | undefined,
    detail: string,
    code = 'wrong_format',
  ) => {
    const place = found.get(column)
    const text = place === undefined ? '' : cell(place)
    if (text === '') return undefined
    const value = parse(text)
    if (value === undefined) errors.push({ code, column: place?.title ?? column, detail })
    return value
  }
  /** Reads a text, which may begin like a formula if an apostrophe marks it as a text. */
  const textOf = (column: Column): string => {
    const place = found.get(column)
    const value = place === undefined ? '' : unwrapped(fields[place.index] ?? '')
    return withoutMark(value) === value && place !== undefined ? cell(place) : withoutMark(value)
  }
  const text = (value: string): string => value.slice(0, 64)
  const productId = read('productId', text, '') ?? ''
  const name = productId === '' ? textOf('product') : ''
  const length = (column: Column) =>
    read(column, lengthOf, 'The length is a number of millimetres such as 85 or 85.5.', 'length_invalid')
  const newProduct =
    name === ''
      ? undefined
      : {
          name,
          currency: read('currency', currencyOf, 'The currency is a code such as EUR.', 'currency_unknown'),
          ...{ widthMm: length('width'), heightMm: length('height') },
          ...{ bleedMm: length('bleed'), safeMarginMm: length('safeMargin') },
          options: optionsOf(textOf('options'), (detail) => {
            errors.push({ code: 'options_unreadable', column: found.get('options')?.title ?? 'options', detail })
          }),
        }
  if (productId === '' && name === '') {
    errors.push({
      code: 'required',
      column: found.get('productId')?.title ?? 'product id',
      detail: 'The line names no product, by its id or as a new one by its name.',
    })
  }
  return {
    line,
    ...{ productId, newProduct },
    revision: read(
      'revision',
      (value) => wholeNumber(value, 2 ** 31 - 1),
      'The revision is a whole number.',
      'number_invalid',
    ),
    variantId: read('variantId', text, ''),
    sku: read('sku', skuOf, 'A SKU has 1 to 64 letters, digits, dots, hyphens and underscores.'),
    weightGrams: read(
      'weight',
      (value) => wholeNumber(value, MAX_WEIGHT_GRAMS),
      'The weight is a whole number of grams, up to 1000000.',
      'number_invalid',
    ),
    available: read('available', yesOrNo, 'The value is neither `yes` nor `no`.', 'not_yes_or_no'),
    prices: prices.flatMap(({ minQuantity, index, title }) => {
      const value = cell({ index, title })
      return value === '' ? [] : [{ minQuantity, text: value, title }]
    }),
    errors,
  }
}

/** @param refuse is called if the text has another form */
function optionsOf(text: string, refuse: (detail: string) => void): Choice[] {
  const choices = readChoices(text)
  if (choices === undefined) refuse('Options are written such as `Paper: matt; Finish: gloss`.')
  return choices ?? []
}

/** Exports put an apostrophe before a text that would be a formula. */
const withoutMark = (value: string): string =>
  value.startsWith("'") && isFormula(value.slice(1)) ? value.slice(1) : value

const currencyOf = (value: string): string | undefined =>
  /^[A-Za-z]{3}$/.test(value) ? value.toUpperCase() : undefined

const lengthOf = (value: string): number | undefined =>
  /^\d{1,5}(?:[.,]\d{1,3})?$/.test(value) ? Number(value.replace(',', '.')) : undefined

const skuOf = (value: string): string | undefined => (/^[A-Za-z0-9._-]{1,64}$/.test(value) ? value : undefined)

function wholeNumber(value: string, max: number): number | undefined {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  return number <= max ? number : undefined
}

function yesOrNo(value: string): boolean | undefined {
  const word = value.toLowerCase()
  return YES.includes(word) ? true : NO.includes(word) ? false : undefined
}
