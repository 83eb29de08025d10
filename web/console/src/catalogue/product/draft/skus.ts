import type { DraftVariant, ProductDraft } from './draft.ts'

/** What SKUs are proposed from. */
export type SkuSource = Pick<ProductDraft, 'name' | 'options' | 'variants'>

/** What all SKUs of a product begin with, and whether the values after it are in capitals. */
interface SkuBase {
  start: string
  isUpper: boolean
}

/** Returns a SKU for a variant: that of the first variant, or else the name of the product, with its own values. */
export function proposedSku(source: SkuSource, variant: Pick<DraftVariant, 'chosen' | 'key'>): string {
  const { name, options, variants } = source
  const [first] = variants
  const fromName = { start: name, isUpper: true }
  const isFirst = first === undefined || first.key === variant.key
  const { start, isUpper } = isFirst ? fromName : (baseOf(first, options) ?? fromName)
  const written = (text: string) => joined([isUpper ? inCapitals(text) : text])
  const end = joined(valuesOf(variant, options).map(written))
  // The values tell the variants apart, so a long name is cut in front of them.
  const room = Math.max(0, MOST_CHARACTERS - end.length - 1)
  return joined([written(start).slice(0, room), end]).slice(0, MOST_CHARACTERS)
}

/** Returns the variants with new SKUs where a new variant still has the proposed one, and what it was made of has changed. */
export function followProposals(before: SkuSource, after: SkuSource): ProductDraft['variants'] {
  // Without the variant that they continue, the others keep their SKUs.
  if (before.variants[0]?.key !== after.variants[0]?.key) return after.variants
  const follow = (source: SkuSource, variant: DraftVariant): DraftVariant => {
    if (variant.id !== undefined) return variant
    const old = before.variants.find(({ key }) => key === variant.key)
    if (old === undefined || old.sku !== variant.sku || old.sku !== proposedSku(before, old)) return variant
    const sku = proposedSku(source, variant)
    return sku === variant.sku ? variant : { ...variant, sku }
  }
  const [first, ...others] = after.variants
  if (first === undefined) return after.variants
  const newFirst = follow(after, first)
  const source = { ...after, variants: [newFirst, ...others] }
  const variants = [newFirst, ...others.map((variant) => follow(source, variant))]
  return variants.every((variant, index) => variant === after.variants[index]) ? after.variants : variants
}

const valuesOf = ({ chosen }: Pick<DraftVariant, 'chosen'>, options: SkuSource['options']): string[] =>
  options.map(({ key, values }) => values.find((one) => one.key === chosen[key])?.value ?? '')

/** Returns the part of a SKU that does not depend on the values. */
function baseOf({ sku, chosen }: DraftVariant, options: SkuSource['options']): SkuBase | undefined {
  if (sku === '') return undefined
  const end = `-${joined(valuesOf({ chosen }, options))}`
  const hasEnd = end !== '-' && sku.length > end.length && sku.toUpperCase().endsWith(end.toUpperCase())
  return { start: hasEnd ? sku.slice(0, -end.length) : sku, isUpper: sku === sku.toUpperCase() }
}

const MOST_CHARACTERS = 64

/** Joins texts with hyphens, without the characters that a SKU cannot have. */
function joined(texts: readonly string[]): string {
  const parts = texts.map((part) =>
    part
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replaceAll(/^-+|-+$/g, ''),
  )
  return parts.filter((part) => part !== '').join('-')
}

/** Writes ß as SS, which a SKU can have. */
const inCapitals = (text: string): string => text.toUpperCase()
