import type { ChangeProductRequest, CreateProductRequest, Product } from '@platen/client'

type Area = Product['printAreas'][number]
type Option = Product['options'][number]

/** Numbers are undefined while their field holds none. */
type Typed<Entry, Numbers extends keyof Entry> = Omit<Entry, Numbers> & { [Name in Numbers]: number | undefined }

/** Entries of lists have a key, by which their fields stay the same while the list changes. */
interface Keyed {
  key: string
}

export type DraftArea = Keyed &
  Typed<Omit<Area, 'minDpi'>, 'widthMm' | 'heightMm' | 'bleedMm' | 'safeMarginMm' | 'targetDpi'> & {
    minDpi: number | undefined
  }

export interface DraftTier extends Keyed {
  minQuantity: number | undefined
  unitAmount: number | undefined
}

export interface DraftValue extends Keyed {
  value: string
}

export interface DraftOption extends Keyed {
  name: string
  values: readonly DraftValue[]
}

export interface DraftVariant extends Keyed {
  /** Undefined for a variant that is not saved. */
  id: string | undefined
  sku: string
  /** The key of a value for the key of each option, so that other names of them change no variant. */
  chosen: Readonly<Record<string, string>>
  weightGrams: number | undefined
  available: boolean
  priceTiers: readonly DraftTier[]
}

export interface DraftImage extends Keyed {
  assetId: string
  alt: string
  /** Undefined for a picture that is not saved. */
  url: string | undefined
}

/** A product while an administrator edits it. */
export interface ProductDraft {
  name: string
  description: string
  descriptionMarkdown: string
  currency: string
  categories: readonly string[]
  sort: number | undefined
  outputProfileId: string | null
  printAreas: readonly DraftArea[]
  options: readonly DraftOption[]
  variants: readonly DraftVariant[]
  images: readonly DraftImage[]
}

export const newKey = (): string => crypto.randomUUID()

const keyed = <Entry>(entry: Entry): Entry & Keyed => ({ ...entry, key: newKey() })

export function toDraft(product: Product): ProductDraft {
  const options = product.options.map(toDraftOption)
  return {
    name: product.name,
    description: product.description,
    descriptionMarkdown: product.descriptionMarkdown,
    currency: product.currency,
    categories: product.categories,
    sort: product.sort,
    outputProfileId: product.outputProfileId ?? null,
    printAreas: product.printAreas.map((area) => ({ ...keyed(area), minDpi: area.minDpi })),
    options,
    variants: product.variants.map(({ options: names, priceTiers, ...variant }) => ({
      ...variant,
      key: variant.id,
      chosen: chosenOf(names, options),
      priceTiers: priceTiers.map(keyed),
    })),
    images: product.images.map(({ id, url, alt }) => ({ key: id, assetId: id, url, alt })),
  }
}

const toDraftOption = ({ name, values }: Option): DraftOption =>
  keyed({ name, values: values.map((value) => keyed({ value })) })

/** Finds the keys of the values that a variant names. */
function chosenOf(names: Readonly<Record<string, string>>, options: readonly DraftOption[]): Record<string, string> {
  const keys = options.map(({ key, name, values }) => [
    key,
    values.find(({ value }) => value === names[name])?.key ?? '',
  ])
  return Object.fromEntries(keys) as Record<string, string>
}

/** Returns the values of a variant by the names of the options. */
export function namesOf(
  { chosen }: Pick<DraftVariant, 'chosen'>,
  options: readonly DraftOption[],
): Record<string, string> {
  const names = options.map(({ key, name, values }) => [
    name,
    values.find((one) => one.key === chosen[key])?.value ?? '',
  ])
  return Object.fromEntries(names) as Record<string, string>
}

/** A product to begin with: one area in the size of a postcard, and one variant without a price. */
export function emptyDraft(currency: string, areaName: string): ProductDraft {
  return {
    name: '',
    description: '',
    descriptionMarkdown: '',
    currency,
    categories: [],
    sort: 0,
    outputProfileId: null,
    printAreas: [newArea('front', areaName)],
    options: [],
    variants: [newVariant()],
    images: [],
  }
}

export function newArea(id: string, name: string): DraftArea {
  const size = { widthMm: 148, heightMm: 105, bleedMm: 3, safeMarginMm: 4 }
  return keyed({ id, name, ...size, targetDpi: 300, minDpi: undefined, required: true })
}

export function newTier(minQuantity: number | undefined): DraftTier {
  return keyed({ minQuantity, unitAmount: undefined })
}

export function newVariant(): DraftVariant {
  const empty = { id: undefined, sku: '', chosen: {}, weightGrams: undefined, available: true }
  return keyed({ ...empty, priceTiers: [newTier(1)] })
}

/** A new product like another one. Its variants get ids of their own. */
export function toDuplicate(product: Product, name: string): ProductDraft {
  const draft = toDraft(product)
  return { ...draft, name, variants: draft.variants.map((variant) => ({ ...variant, key: newKey(), id: undefined })) }
}

type Body = Required<Pick<ChangeProductRequest, keyof ProductDraft>>

/**
 * Returns what a request states. Entries have the positions that they have in the draft, so that the pointers of faults
 * lead to their fields. Numbers that a field does not hold are missing, which the service reports.
 */
export function toBody(draft: ProductDraft): Body {
  const body = {
    ...draft,
    printAreas: draft.printAreas.map(({ key: _, ...area }) => area),
    options: draft.options.map(({ name, values }) => ({ name, values: values.map(({ value }) => value) })),
    variants: draft.variants.map(({ key: _, chosen, priceTiers, ...variant }) => ({
      ...variant,
      options: namesOf({ chosen }, draft.options),
      priceTiers: priceTiers.map(({ minQuantity, unitAmount }) => ({ minQuantity, unitAmount })),
    })),
    images: draft.images.map(({ assetId, alt }) => ({ assetId, alt })),
  }
  return JSON.parse(JSON.stringify(body)) as Body
}

export function toNewBody(draft: ProductDraft): CreateProductRequest {
  const { outputProfileId, ...body } = toBody(draft)
  return { ...body, ...(outputProfileId === null ? {} : { outputProfileId }) } as CreateProductRequest
}

/** Returns the members in which two drafts differ. */
export function changesOf(before: ProductDraft, after: ProductDraft): Partial<Body> {
  // Drafts are never changed in place. Variants are written with the names of the options.
  const isSame = (name: keyof Body): boolean =>
    before[name] === after[name] && (name !== 'variants' || before.options === after.options)
  const names = (Object.keys(after) as (keyof Body)[]).filter((name) => !isSame(name))
  if (names.length === 0) return {}
  const [old, present] = [toBody(before), toBody(after)]
  const changed = names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(present[name]))
  return Object.fromEntries(changed.map((name) => [name, present[name]]))
}

/** Returns a newer version with the members that the administrator has changed since an older one. */
export function rebase(older: ProductDraft, edited: ProductDraft, newer: ProductDraft): ProductDraft {
  const own = Object.keys(changesOf(older, edited)) as (keyof ProductDraft)[]
  return { ...newer, ...Object.fromEntries(own.map((name) => [name, edited[name]])) }
}
