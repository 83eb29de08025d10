import { type FoundColumn, type Header, normalized, readColumns } from '../../platform/csv/header.ts'
import { productProblems } from '../problems.ts'

export type Column =
  | 'productId'
  | 'revision'
  | 'product'
  | 'currency'
  | 'width'
  | 'height'
  | 'bleed'
  | 'safeMargin'
  | 'variantId'
  | 'options'
  | 'sku'
  | 'weight'
  | 'available'

/** Names of the columns in the files that the service writes. Prices follow, one column for each quantity. */
export const TITLES: Readonly<Record<Column, string>> = {
  productId: 'Product id',
  revision: 'Revision',
  product: 'Product',
  currency: 'Currency',
  width: 'Width in mm',
  height: 'Height in mm',
  bleed: 'Bleed in mm',
  safeMargin: 'Safe margin in mm',
  variantId: 'Variant id',
  options: 'Options',
  sku: 'SKU',
  weight: 'Weight in g',
  available: 'Available',
}

export const priceTitle = (minQuantity: number): string => `Price from ${minQuantity}`

const NAMES: Readonly<Record<Column, readonly string[]>> = {
  productId: ['productid', 'produktid'],
  revision: ['revision'],
  product: ['product', 'produkt'],
  currency: ['currency', 'währung'],
  width: ['width', 'widthinmm', 'widthmm', 'breite', 'breiteinmm'],
  height: ['height', 'heightinmm', 'heightmm', 'höhe', 'höheinmm'],
  bleed: ['bleed', 'bleedinmm', 'bleedmm', 'anschnitt', 'anschnittinmm'],
  safeMargin: ['safemargin', 'safemargininmm', 'safemarginmm', 'sicherheitsabstand', 'sicherheitsabstandinmm'],
  variantId: ['variantid', 'variantenid'],
  options: ['options', 'optionen'],
  sku: ['sku', 'artikelnummer'],
  weight: ['weight', 'weighting', 'weightgrams', 'gewicht', 'gewichting'],
  available: ['available', 'lieferbar'],
}

const PRICE = /^(?:pricefrom|preisab)([1-9]\d{0,6})$/

/** A column with the price of a piece from a quantity on. */
export interface PriceColumn extends FoundColumn {
  minQuantity: number
}

export interface Columns extends Pick<Header<Column>, 'found' | 'ignored'> {
  /** In ascending order of the quantities. */
  prices: readonly PriceColumn[]
}

/**
 * Finds the columns of an import in the header of its file.
 *
 * @throws `variant_file_invalid`
 */
export function readHeader(header: readonly string[]): Columns {
  const prices: PriceColumn[] = []
  const takeOther = (column: FoundColumn): boolean => {
    const [, quantity] = PRICE.exec(normalized(column.title)) ?? []
    if (quantity !== undefined) prices.push({ ...column, minQuantity: Number(quantity) })
    return quantity !== undefined
  }
  const { found, ignored, errors } = readColumns(header, { names: NAMES, required: [], takeOther })
  if (!found.has('productId') && !found.has('product')) {
    errors.push({ code: 'column_missing', detail: 'The header has neither a column product id nor product.' })
  }
  prices.sort((a, b) => a.minQuantity - b.minQuantity)
  for (const [index, { minQuantity, title }] of prices.entries()) {
    if (prices[index - 1]?.minQuantity !== minQuantity) continue
    errors.push({ code: 'column_repeated', detail: `There are two columns ${title}.` })
  }
  if (errors.length > 0) throw productProblems.variant_file_invalid({ errors })
  return { found, ignored, prices }
}
