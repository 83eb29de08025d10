import { type DraftOption, type DraftValue, type DraftVariant, newKey, newVariant, type ProductDraft } from './draft.ts'
import { proposedSku, type SkuSource } from './skus.ts'

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
 * Adds a variant for each of these combinations, by default all that have none, with weight and prices of the first
 * variant, in the order of the options.
 */
export function addMissing(source: SkuSource, wanted = missingCombinations(source)): DraftVariant[] {
  const [model = newVariant()] = source.variants
  const added = wanted.map((chosen) => ({ ...model, chosen }))
  return withVariants(source, added)
}

/**
 * Adds a value to an option, with a variant for each combination that the other values of the option
 * have. Each has weight and prices of the first variant with this combination.
 */
export function addValue(source: SkuSource, option: DraftOption, value: DraftValue): Choices {
  const choices = changeOption(source.options, { ...option, values: [...option.values, value] })
  const models = withoutOption(source, option.key)
  const added = models.map((model) => ({ ...model, chosen: { ...model.chosen, [option.key]: value.key } }))
  return { ...choices, variants: withVariants({ ...source, ...choices }, added) }
}

/** Tells whether a product can have the variants of another value of an option. */
export const hasRoomForValue = (choices: Choices, { key }: DraftOption): boolean =>
  choices.variants.length + withoutOption(choices, key).length <= MOST_VARIANTS

/** Adds variants like these, with keys and SKUs of their own, in the order of the options. */
function withVariants(source: SkuSource, models: readonly DraftVariant[]): DraftVariant[] {
  const { options, variants } = source
  const added = models.map((model): DraftVariant => {
    const key = newKey()
    return {
      ...model,
      key,
      id: undefined,
      sku: proposedSku(source, { key, chosen: model.chosen }),
      available: true,
      priceTiers: model.priceTiers.map((tier) => ({ ...tier, key: newKey() })),
    }
  })
  return [...variants, ...added].sort(byValues(options))
}

/** Orders variants by their values, the first option first. */
function byValues(options: readonly DraftOption[]) {
  const places = options.map(({ key, values }) => ({ key, of: new Map(values.map((value, at) => [value.key, at])) }))
  const at = ({ chosen }: DraftVariant): number[] => places.map(({ key, of }) => of.get(chosen[key] ?? '') ?? of.size)
  return (a: DraftVariant, b: DraftVariant): number => {
    const others = at(b)
    return (
      at(a)
        .map((place, index) => place - (others[index] ?? 0))
        .find((difference) => difference !== 0) ?? 0
    )
  }
}

/** Returns the variants that differ in other options than this one. Of those that differ only in it, the first one. */
function withoutOption({ options, variants }: Choices, key: string): DraftVariant[] {
  const others = options.filter((option) => option.key !== key)
  const seen = new Set<string>()
  return variants.filter(({ chosen }) => {
    const id = combinationKey(chosen, others)
    return !seen.has(id) && seen.add(id)
  })
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
export function removeOption(choices: Choices, key: string): Choices {
  return { options: choices.options.filter((option) => option.key !== key), variants: withoutOption(choices, key) }
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
