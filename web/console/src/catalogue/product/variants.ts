import { type DraftOption, type DraftVariant, namesOf, newKey, type ProductDraft } from './draft.ts'

/** The part of a product that options and variants share. */
export type Choices = Pick<ProductDraft, 'options' | 'variants'>

type Chosen = DraftVariant['chosen']

/** More than this the service refuses. */
export const MOST_VARIANTS = 500

/** Returns every choice of one value for each option, in the order of the options. */
function combinationsOf(options: readonly DraftOption[]): Chosen[] {
  return options.reduce<Chosen[]>(
    (chosen, { key, values }) => chosen.flatMap((one) => values.map((value) => ({ ...one, [key]: value.key }))),
    [{}],
  )
}

/** Tells combinations of values apart. */
export const combinationKey = (chosen: Chosen, options: readonly DraftOption[]): string =>
  options.map(({ key }) => chosen[key]).join()

/** Returns how many combinations of values there are. Not all of them could be listed. */
export const countCombinations = (options: readonly DraftOption[]): number =>
  options.reduce((count, { values }) => count * values.length, 1)

/** Returns the combinations of values for which there is no variant. */
export function missingCombinations({ options, variants }: Choices): Chosen[] {
  const known = new Set(variants.map(({ chosen }) => combinationKey(chosen, options)))
  return combinationsOf(options).filter((chosen) => !known.has(combinationKey(chosen, options)))
}

/**
 * Adds a variant for each of these combinations, by default all that have none, with weight and prices of the first variant, in the order of the
 * options. SKUs are made of that of the first variant and the values.
 */
export function addMissing(choices: Choices, wanted = missingCombinations(choices)): DraftVariant[] {
  const { options, variants } = choices
  const [model] = variants
  const base = baseOf(model, options)
  const added = wanted.map(
    (chosen): DraftVariant => ({
      key: newKey(),
      id: undefined,
      sku: skuOf(base, Object.values(namesOf({ chosen }, options))),
      chosen,
      weightGrams: model?.weightGrams,
      available: true,
      priceTiers: model?.priceTiers.map((tier) => ({ ...tier, key: newKey() })) ?? [],
    }),
  )
  const placeOf = new Map(combinationsOf(options).map((chosen, index) => [combinationKey(chosen, options), index]))
  const at = ({ chosen }: DraftVariant): number => placeOf.get(combinationKey(chosen, options)) ?? placeOf.size
  return [...variants, ...added].sort((a, b) => at(a) - at(b))
}

/** The part of a SKU that does not depend on the values. */
function baseOf(model: DraftVariant | undefined, options: readonly DraftOption[]): string {
  if (model === undefined) return ''
  const end = `-${skuOf('', Object.values(namesOf(model, options)))}`
  return model.sku.endsWith(end) ? model.sku.slice(0, -end.length) : model.sku
}

const MOST_CHARACTERS = 64

/** Joins a base and values with hyphens, without the characters that a SKU cannot have. */
function skuOf(base: string, values: readonly string[]): string {
  const parts = [base, ...values].map((part) =>
    part
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replaceAll(/^-+|-+$/g, ''),
  )
  return parts
    .filter((part) => part !== '')
    .join('-')
    .slice(0, MOST_CHARACTERS)
}

/** Adds an option without a name, with one value. Variants that exist get its first value, because every variant needs one. */
export function addOption({ options, variants }: Choices): Choices {
  const [key, valueKey] = [newKey(), newKey()]
  return {
    options: [...options, { key, name: '', values: [{ key: valueKey, value: '' }] }],
    variants: variants.map((variant) => ({ ...variant, chosen: { ...variant.chosen, [key]: valueKey } })),
  }
}

/** Removes an option. Of variants that differ only in it, the first one stays. */
export function removeOption({ options, variants }: Choices, key: string): Choices {
  const left = options.filter((option) => option.key !== key)
  const seen = new Set<string>()
  const kept = variants.filter(({ chosen }) => {
    const id = combinationKey(chosen, left)
    return !seen.has(id) && seen.add(id)
  })
  return { options: left, variants: kept }
}

/** Replaces an option with one that has another name or other values. */
export function changeOption(options: readonly DraftOption[], changed: DraftOption): Pick<Choices, 'options'> {
  return { options: options.map((one) => (one.key === changed.key ? changed : one)) }
}

/** Removes a value with the variants that have it. */
export function removeValue({ options, variants }: Choices, option: DraftOption, key: string): Choices {
  const values = option.values.filter((one) => one.key !== key)
  return {
    ...changeOption(options, { ...option, values }),
    variants: variants.filter(({ chosen }) => chosen[option.key] !== key),
  }
}

/** Tells whether all variants cost the same, whatever their entries are called in the page. */
export function haveSamePrices(variants: readonly DraftVariant[]): boolean {
  const textOf = ({ priceTiers }: DraftVariant): string =>
    JSON.stringify(priceTiers.map(({ minQuantity, unitAmount }) => [minQuantity, unitAmount]))
  const [first, ...others] = variants.map(textOf)
  return others.every((text) => text === first)
}
