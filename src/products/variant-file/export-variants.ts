import { isFormula } from '../../platform/csv/cells.ts'
import { minorDigits } from '../../platform/currencies.ts'
import type { Product, Variant } from '../schemas.ts'
import { priceTitle, TITLES } from './columns.ts'
import { writeChoices } from './options-cell.ts'

export interface FileForm {
  delimiter: ',' | ';'
  decimalPoint: '.' | ','
}

export const FORMS: Readonly<Record<'comma' | 'semicolon', FileForm>> = {
  comma: { delimiter: ',', decimalPoint: '.' },
  semicolon: { delimiter: ';', decimalPoint: ',' },
}

/** Without it, Excel takes the file for one in Windows-1252. */
const BYTE_ORDER_MARK = '\ufeff'

/**
 * Writes a file with a line for each variant, in pieces of one product.
 *
 * @param quantities the quantities with a price of their own, in ascending order
 */
export async function* variantFile(
  products: AsyncIterable<Product>,
  quantities: readonly number[],
  form: FileForm,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + lineOf([...Object.values(TITLES), ...quantities.map(priceTitle)], form)
  for await (const product of products) {
    yield product.variants.map((variant) => lineOf(fieldsOf(product, variant, quantities, form), form)).join('')
  }
}

function fieldsOf(product: Product, variant: Variant, quantities: readonly number[], form: FileForm): string[] {
  const amounts = new Map(variant.priceTiers.map(({ minQuantity, unitAmount }) => [minQuantity, unitAmount]))
  const [area] = product.printAreas
  return [
    product.id,
    String(product.revision),
    harmless(product.name),
    product.currency,
    ...(['widthMm', 'heightMm', 'bleedMm', 'safeMarginMm'] as const).map((length) => lengthOf(area?.[length], form)),
    variant.id,
    harmless(writeChoices(product.options.map(({ name }) => ({ name, value: variant.options[name] ?? '' })))),
    harmless(variant.sku),
    String(variant.weightGrams),
    variant.available ? 'yes' : 'no',
    ...quantities.map((quantity) => priceOf(amounts.get(quantity), product.currency, form)),
  ]
}

/** A spreadsheet takes a value that begins with an apostrophe for a text. */
const harmless = (value: string): string => (isFormula(value) ? `'${value}` : value)

const lengthOf = (lengthMm: number | undefined, { decimalPoint }: FileForm): string =>
  lengthMm === undefined ? '' : String(lengthMm).replace('.', decimalPoint)

function priceOf(amount: number | undefined, currency: string, { decimalPoint }: FileForm): string {
  if (amount === undefined) return ''
  const digits = minorDigits(currency)
  const text = String(amount).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}${decimalPoint}${text.slice(-digits)}`
}

function lineOf(fields: readonly string[], { delimiter }: FileForm): string {
  const quoted = fields.map((field) => (/[",;\t\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
  return `${quoted.join(delimiter)}\r\n`
}
