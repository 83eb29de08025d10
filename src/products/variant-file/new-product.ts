import type { LineFaultBody } from '../../platform/csv/csv-body.ts'
import { createValueCheck } from '../../platform/http/input/check-value.ts'
import { Problem, type ProblemDetail } from '../../platform/problem.ts'
import { checkProduct } from '../rules.ts'
import { NewProductBody, type PriceTiers, type ProductOption } from '../schemas.ts'
import { readPrices } from './apply-lines.ts'
import { type Column, type Columns, priceTitle, TITLES } from './columns.ts'
import type { ImportLine, NewProductLine } from './read-line.ts'

export interface NewProduct {
  body: NewProductBody
  /** The faults of each line; empty for a good one. */
  faultsOf: ReadonlyMap<ImportLine, LineFaultBody[]>
}

type Detail = Exclude<keyof NewProductLine, 'name' | 'options'>

const COLUMN_OF: Readonly<Record<Detail, Column>> = {
  currency: 'currency',
  widthMm: 'width',
  heightMm: 'height',
  bleedMm: 'bleed',
  safeMarginMm: 'safeMargin',
}

/** A usual printing condition. A line without these values has them. */
const DEFAULTS = { bleedMm: 3, safeMarginMm: 3, targetDpi: 300 }

/** Takes the place of what is missing, so that it causes no further fault. */
const MISSING = { currency: 'EUR', widthMm: 100, heightMm: 100, priceTiers: [{ minQuantity: 1, unitAmount: 0 }] }

/** Builds the product that new lines with one name describe, and states what is wrong with each of them. */
export function newProductOf(lines: readonly ImportLine[], columns: Columns): NewProduct {
  const faultsOf = new Map<ImportLine, LineFaultBody[]>(lines.map((line) => [line, [...line.errors]]))
  const titleOf = (column: Column) => columns.found.get(column)?.title ?? TITLES[column]
  const addFault = (line: ImportLine | undefined, fault: LineFaultBody): void => {
    const faults = line === undefined ? undefined : faultsOf.get(line)
    // One fault of a value is enough: the others follow from it.
    if (faults?.some(({ column }) => column === fault.column) === false) faults.push(fault)
  }
  const [first] = lines
  const required = (line: ImportLine | undefined, column: string): void =>
    addFault(line, { code: 'required', column, detail: 'A new product needs this value.' })

  const common = <Name extends Detail>(name: Name): NewProductLine[Name] => {
    const stating = lines.filter(({ newProduct }) => newProduct?.[name] !== undefined)
    const value = stating[0]?.newProduct?.[name]
    for (const line of stating) {
      if (line.newProduct?.[name] === value) continue
      const detail = `Line ${stating[0]?.line} states another value for the same product.`
      addFault(line, { code: 'differs', column: titleOf(COLUMN_OF[name]), detail })
    }
    return value as NewProductLine[Name]
  }
  const needed = <Name extends 'currency' | 'widthMm' | 'heightMm'>(name: Name) => {
    const value = common(name)
    if (value === undefined) required(first, titleOf(COLUMN_OF[name]))
    return value ?? MISSING[name]
  }
  const currency = needed('currency') as string
  const [priceColumn] = columns.prices
  const variants = lines.map((line) => {
    if (line.sku === undefined) required(line, titleOf('sku'))
    if (line.weightGrams === undefined) required(line, titleOf('weight'))
    if (line.prices.length === 0) required(line, priceColumn?.title ?? priceTitle(1))
    return {
      sku: line.sku ?? `line-${line.line}`,
      options: Object.fromEntries(line.newProduct?.options.map(({ name, value }) => [name, value]) ?? []),
      weightGrams: line.weightGrams ?? 0,
      available: line.available ?? true,
      priceTiers: pricesOf(line, currency, (fault) => addFault(line, fault)),
    }
  })
  const body: NewProductBody = {
    name: first?.newProduct?.name ?? '',
    currency,
    printAreas: [
      {
        ...{ id: 'front', name: 'Front', required: true, targetDpi: DEFAULTS.targetDpi },
        ...{ widthMm: needed('widthMm') as number, heightMm: needed('heightMm') as number },
        bleedMm: common('bleedMm') ?? DEFAULTS.bleedMm,
        safeMarginMm: common('safeMarginMm') ?? DEFAULTS.safeMarginMm,
      },
    ],
    options: optionsOf(lines),
    variants,
  }
  for (const { code, pointer = '', detail } of faultsOfBody(body)) {
    const { line, column } = placeOf(pointer, lines, columns)
    addFault(line, { code, detail, column: column ?? titleOf('product') })
  }
  return { body, faultsOf }
}

function pricesOf(line: ImportLine, currency: string, refuse: (fault: LineFaultBody) => void): PriceTiers {
  if (line.prices.length === 0) return MISSING.priceTiers
  const faults: LineFaultBody[] = []
  const tiers = readPrices(line.prices, currency, faults)
  faults.forEach(refuse)
  return tiers
}

/** The options in the order in which the lines name them, with their values. */
function optionsOf(lines: readonly ImportLine[]): ProductOption[] {
  const values = new Map<string, Set<string>>()
  for (const { newProduct } of lines) {
    for (const { name, value } of newProduct?.options ?? []) {
      values.set(name, (values.get(name) ?? new Set()).add(value))
    }
  }
  return [...values].map(([name, all]) => ({ name, values: [...all] }))
}

const checkBody = createValueCheck(NewProductBody)

function faultsOfBody(body: NewProductBody): readonly ProblemDetail[] {
  try {
    checkBody(body)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.extras.errors ?? []
  }
  return checkProduct({
    ...body,
    options: body.options ?? [],
    variants: body.variants.map(({ options = {}, available = true, ...variant }) => ({
      ...variant,
      ...{ options, available },
    })),
  })
}

/** Finds the line and the column of a fault in the product. Faults of the whole product are those of its first line. */
function placeOf(
  pointer: string,
  lines: readonly ImportLine[],
  { found, prices }: Columns,
): { line: ImportLine | undefined; column: string | undefined } {
  const [list = '', index, member = ''] = pointer.split('/').slice(1)
  const titleOf = (column: Column) => found.get(column)?.title ?? TITLES[column]
  const line = list === 'variants' && index !== undefined ? lines[Number(index)] : lines[0]
  if (list === 'options' || member === 'options') return { line, column: titleOf('options') }
  if (list === 'variants' && index !== undefined) {
    return { line, column: member === 'sku' ? titleOf('sku') : (line?.prices[0]?.title ?? prices[0]?.title) }
  }
  const detail = Object.entries(COLUMN_OF).find(([name]) => name === member || name === list)
  return { line, column: detail && titleOf(detail[1]) }
}
