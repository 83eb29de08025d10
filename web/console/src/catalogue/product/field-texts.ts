import type { PriceTier, Product } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import type { ProductDraft } from './draft.ts'

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

interface Entry {
  id: string
  name?: string
  sku?: string
}

/** Returns what names the field of a fault in a draft, such as "Front: Width". */
export function useFaultName({ printAreas, variants, options }: ProductDraft) {
  const { text } = useTexts()
  const entryName = (list: string, index: number): string | undefined =>
    ({ printAreas: printAreas[index]?.name, variants: variants[index]?.sku, options: options[index]?.name })[list]
  return (pointer = ''): string => {
    const [list = '', index, ...members] = pointer.split('/').slice(1)
    const member = [...members, list].find((name) => NAMES[name] !== undefined)
    const key = member === undefined ? undefined : NAMES[member]
    const field = key === undefined ? pointer : text(key)
    if (index === undefined) return field
    const entry = entryName(list, Number(index)) || text(NAMES[list] ?? 'consoleCatalogue.name')
    return entry === field ? field : `${entry}: ${field}`
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
