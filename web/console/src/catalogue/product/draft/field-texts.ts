import type { PriceTier, Product } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import type { ProductDraft } from './draft.ts'
import { useVariantName } from './variant-name.ts'
import { haveSamePrices } from './variants.ts'

const NAMES: Readonly<Record<string, MessageKey>> = {
  name: 'consoleCatalogue.name',
  description: 'consoleCatalogue.description',
  descriptionMarkdown: 'consoleCatalogue.longDescription',
  status: 'consoleCatalogue.status',
  currency: 'consoleCatalogue.currency',
  categories: 'consoleCatalogue.categories',
  sort: 'consoleCatalogue.sort',
  outputProfileId: 'consoleCatalogue.colorProfile',
  options: 'consoleCatalogue.options',
  images: 'consoleCatalogue.pictures',
  printAreas: 'consoleCatalogue.areas',
  variants: 'consoleCatalogue.variantTable',
  sku: 'consoleCatalogue.sku',
  weightGrams: 'consoleCatalogue.weight',
  available: 'consoleCatalogue.available',
  priceTiers: 'consoleCatalogue.prices',
  alt: 'consoleCatalogue.altOf',
  widthMm: 'consoleCatalogue.width',
  heightMm: 'consoleCatalogue.height',
  bleedMm: 'consoleCatalogue.bleed',
  safeMarginMm: 'consoleCatalogue.safeMargin',
  targetDpi: 'consoleCatalogue.targetDpi',
  minDpi: 'consoleCatalogue.minDpi',
  required: 'consoleCatalogue.required',
  shape: 'consoleCatalogue.shape',
  cutPath: 'consoleCatalogue.cutPath',
}

const AREA_NAMES: Readonly<Record<string, MessageKey>> = {
  id: 'consoleCatalogue.areaId',
  name: 'consoleCatalogue.areaName',
}

/** The label of a field if the product has one variant, and if it has several. */
const VARIANT_NAMES: Readonly<Record<string, readonly [MessageKey, MessageKey]>> = {
  sku: ['consoleCatalogue.sku', 'consoleCatalogue.skuOf'],
  weightGrams: ['consoleCatalogue.weight', 'consoleCatalogue.weightOf'],
}

const PRICE_NAMES: Readonly<Record<string, MessageKey>> = {
  minQuantity: 'consoleCatalogue.fromQuantity',
  unitAmount: 'consoleCatalogue.unitPrice',
}

interface Entry {
  id: string
  name?: string
  sku?: string
}

/** Returns the label of the field that a fault in a draft names, such as "SKU of matt". */
export function useFaultName({ printAreas, variants, options }: ProductDraft) {
  const { text } = useTexts()
  const nameOfVariant = useVariantName(options)
  const labels: Readonly<Record<string, (at: number, members: readonly string[]) => string | undefined>> = {
    printAreas: (at, [member = '']) => {
      const key = AREA_NAMES[member] ?? NAMES[member]
      if (key === undefined) return undefined
      return printAreas.length < 2
        ? text(key)
        : `${printAreas[at]?.name || text('consoleCatalogue.unnamed')}: ${text(key)}`
    },
    options: (at, [member, value]) => {
      const optionName = text('consoleCatalogue.optionName', { number: at + 1 })
      if (member !== 'values') return optionName
      const name = options[at]?.name || optionName
      return text('consoleCatalogue.valueOf', { name, number: Number(value ?? 0) + 1 })
    },
    variants: (at, [member = '', tier, price]) => {
      const variant = variants[at]
      const name = variant === undefined ? text('consoleCatalogue.variant') : nameOfVariant(variant)
      if (member !== 'priceTiers') {
        const [alone, several] = VARIANT_NAMES[member] ?? []
        const key = options.length === 0 ? alone : several
        return key === undefined ? name : text(key, { name })
      }
      const key = PRICE_NAMES[price ?? ''] ?? 'consoleCatalogue.prices'
      const field = text(key, { number: Number(tier) + 1 })
      return haveSamePrices(variants) ? field : `${name}: ${field}`
    },
    images: (at) => text('consoleCatalogue.alt', { number: at + 1 }),
  }
  return (pointer = ''): string => {
    const [list = '', index, ...members] = pointer.split('/').slice(1)
    const isMissing = list === 'variants' && variants.length > 0
    const key = isMissing ? 'consoleCatalogue.missingVariants' : NAMES[list]
    const label = index === undefined ? undefined : labels[list]?.(Number(index), members)
    return label ?? (key === undefined ? pointer : text(key))
  }
}

/** Says in words which field of a product a change names, and what its values are. */
export function useFieldTexts(product: Product) {
  const { text, formats } = useTexts()
  const nameOfMember = (member: string): string => {
    const key = NAMES[member]
    return key === undefined ? member : text(key)
  }
  const money = (amount: number): string => formats.money({ amount, currency: product.currency })
  return {
    /** @param value of an entry of a list that was added or removed */
    nameOf: (pointer: string, value: unknown): string => {
      const [list = '', id, member] = pointer.split('/').slice(1)
      if (id === undefined) return nameOfMember(list)
      const entries: Entry[] = { printAreas: product.printAreas, variants: product.variants, images: [] }[list] ?? []
      const entry = entries.find((one) => one.id === id) ?? (member === undefined ? (value as Entry) : undefined)
      const label = entry?.sku ?? entry?.name ?? nameOfMember(list)
      return member === undefined ? label : `${label}: ${nameOfMember(member)}`
    },
    textOf: (pointer: string, value: unknown): string => {
      if (pointer.endsWith('/priceTiers')) {
        return (value as PriceTier[])
          .map(({ minQuantity, unitAmount }) => `${formats.number(minQuantity)}: ${money(unitAmount)}`)
          .join('; ')
      }
      if (typeof value === 'boolean') return text(value ? 'consoleCatalogue.yes' : 'consoleCatalogue.no')
      if (typeof value === 'number') return formats.number(value, { maximumFractionDigits: 3 })
      if (typeof value === 'string') return value
      if (pointer === '/options') return optionsText(value as Product['options'])
      if (Array.isArray(value)) return value.join(', ')
      return entryText(value as Entry)
    },
  }
}

const optionsText = (options: Product['options']): string =>
  options.map(({ name, values }) => `${name}: ${values.join(', ')}`).join('; ')

const entryText = ({ id, name, sku }: Entry): string => sku ?? name ?? id
