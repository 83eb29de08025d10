import type { ProblemDetail } from '@platen/client'
import type { DraftArea, DraftOption, DraftTier, DraftVariant, ProductDraft } from './draft.ts'
import { combinationKey, countCombinations, haveSamePrices, MOST_VARIANTS, missingCombinations } from './variants.ts'

/** Returns the combinations of values without a variant that the administrator has not deselected. */
export const wantedCombinations = (draft: ProductDraft, unwanted: ReadonlySet<string>) =>
  countCombinations(draft.options) > MOST_VARIANTS
    ? []
    : missingCombinations(draft).filter((chosen) => !unwanted.has(combinationKey(chosen, draft.options)))

/** Returns the combinations that a product leaves out, so that its next change does not ask for them again. */
export const leftOut = (draft: ProductDraft): ReadonlySet<string> =>
  new Set(wantedCombinations(draft, new Set()).map((chosen) => combinationKey(chosen, draft.options)))

/**
 * Finds what must not be saved, in the order of the page: what the service would refuse, with its codes, so that all
 * faults show at once, and combinations without a variant, which it would take as not sold.
 *
 * @param unwanted undefined for a new product, which has a variant for each combination that is sold
 */
export function findFaults(draft: ProductDraft, unwanted: ReadonlySet<string> | undefined): ProblemDetail[] {
  const { name, printAreas, options, variants } = draft
  return [
    ...required('/name', name),
    ...printAreas.flatMap((area, index) => areaFaults(area, `/printAreas/${index}`)),
    ...repeated(
      printAreas.map(({ id }) => id),
      (index) => `/printAreas/${index}/id`,
    ),
    ...options.flatMap((option, index) => optionFaults(option, `/options/${index}`)),
    ...repeated(
      options.map((option) => option.name),
      (index) => `/options/${index}/name`,
    ),
    ...missingFaults(draft, unwanted),
    ...variants.flatMap((variant, index) => variantFaults(variant, `/variants/${index}`)),
    ...repeated(
      variants.map(({ sku }) => sku),
      (index) => `/variants/${index}/sku`,
    ),
    // One change corrects the prices of all variants if these are the same.
    ...(haveSamePrices(variants) ? variants.slice(0, 1) : variants).flatMap(({ priceTiers }, index) =>
      priceFaults(priceTiers, `/variants/${index}/priceTiers`),
    ),
  ]
}

const LENGTHS = ['widthMm', 'heightMm', 'bleedMm', 'safeMarginMm'] as const

function areaFaults(area: DraftArea, at: string): ProblemDetail[] {
  const { widthMm = 0, heightMm = 0, safeMarginMm = 0, targetDpi = 0, minDpi = 0 } = area
  const isNarrow = widthMm > 0 && heightMm > 0 && safeMarginMm * 2 >= Math.min(widthMm, heightMm)
  return [
    ...required(`${at}/name`, area.name),
    ...formatted(`${at}/id`, area.id, AREA_ID),
    ...LENGTHS.flatMap((member) => required(`${at}/${member}`, area[member])),
    ...(isNarrow ? [fault('safe_margin_too_large', `${at}/safeMarginMm`)] : []),
    ...required(`${at}/targetDpi`, area.targetDpi),
    ...(targetDpi > 0 && minDpi > targetDpi ? [fault('min_dpi_above_target', `${at}/minDpi`)] : []),
  ]
}

function optionFaults({ name, values }: DraftOption, at: string): ProblemDetail[] {
  return [
    ...required(`${at}/name`, name),
    ...values.flatMap(({ value }, index) => required(`${at}/values/${index}`, value)),
    ...repeated(
      values.map(({ value }) => value),
      (index) => `${at}/values/${index}`,
    ),
  ]
}

function missingFaults(draft: ProductDraft, unwanted: ReadonlySet<string> | undefined): ProblemDetail[] {
  if (draft.variants.length === 0) return [fault('too_few', '/variants')]
  if (unwanted === undefined || wantedCombinations(draft, unwanted).length === 0) return []
  return [fault('variants_missing', '/variants')]
}

function variantFaults({ sku, weightGrams }: DraftVariant, at: string): ProblemDetail[] {
  return [...formatted(`${at}/sku`, sku, SKU), ...required(`${at}/weightGrams`, weightGrams)]
}

function priceFaults(tiers: readonly DraftTier[], at: string): ProblemDetail[] {
  return tiers.flatMap(({ minQuantity, unitAmount }, index) => [
    ...required(`${at}/${index}/minQuantity`, minQuantity),
    ...quantityFaults(minQuantity, tiers[index - 1], `${at}/${index}/minQuantity`),
    ...required(`${at}/${index}/unitAmount`, unitAmount),
  ])
}

function quantityFaults(quantity: number | undefined, before: DraftTier | undefined, at: string): ProblemDetail[] {
  if (quantity === undefined) return []
  if (before === undefined) return quantity === 1 ? [] : [fault('first_tier_not_one', at)]
  return before.minQuantity !== undefined && quantity <= before.minQuantity ? [fault('tiers_not_ascending', at)] : []
}

/** The detail is for clients. The page has a text for each of these codes. */
const fault = (code: string, pointer: string): ProblemDetail => ({ code, pointer, detail: code })

const required = (pointer: string, value: string | number | undefined): ProblemDetail[] =>
  value === undefined || (typeof value === 'string' && value.trim() === '') ? [fault('required', pointer)] : []

/** What the service accepts. */
const AREA_ID = /^[\w-]+$/
const SKU = /^[\w.-]+$/

const formatted = (pointer: string, value: string, format: RegExp): ProblemDetail[] =>
  value.trim() === '' || format.test(value) ? required(pointer, value) : [fault('wrong_format', pointer)]

/** Finds texts that an earlier entry has, too. */
const repeated = (values: readonly string[], pointerOf: (index: number) => string): ProblemDetail[] =>
  values.flatMap((value, index) =>
    value.trim() !== '' && values.indexOf(value) < index ? [fault('duplicate', pointerOf(index))] : [],
  )
