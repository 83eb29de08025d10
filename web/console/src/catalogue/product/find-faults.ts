import type { ProblemDetail } from '@platen/client'
import type { ProductDraft } from './draft.ts'
import { combinationKey, countCombinations, MOST_VARIANTS, missingCombinations } from './variants.ts'

/** Returns the combinations of values without a variant that the administrator has not deselected. */
export const wantedCombinations = (draft: ProductDraft, unwanted: ReadonlySet<string>) =>
  countCombinations(draft.options) > MOST_VARIANTS
    ? []
    : missingCombinations(draft).filter((chosen) => !unwanted.has(combinationKey(chosen, draft.options)))

/** Returns the combinations that a product leaves out, so that its next change does not ask for them again. */
export const leftOut = (draft: ProductDraft): ReadonlySet<string> =>
  new Set(wantedCombinations(draft, new Set()).map((chosen) => combinationKey(chosen, draft.options)))

/**
 * Finds what must not be saved: texts that are empty, which the service would refuse, and combinations without a
 * variant, which it would take as not sold.
 */
export function findFaults(draft: ProductDraft, unwanted: ReadonlySet<string>): ProblemDetail[] {
  const required = (pointer: string, value: string): ProblemDetail[] =>
    value.trim() === '' ? [{ code: 'required', pointer, detail: 'The value is missing.' }] : []
  const missing = wantedCombinations(draft, unwanted).length
  return [
    ...required('/name', draft.name),
    ...draft.options.flatMap(({ name, values }, index) => [
      ...required(`/options/${index}/name`, name),
      ...values.flatMap(({ value }, at) => required(`/options/${index}/values/${at}`, value)),
    ]),
    ...(missing === 0 ? [] : [{ code: 'variants_missing', pointer: '/variants', detail: `${missing} are missing.` }]),
    ...draft.variants.flatMap(({ sku }, index) => required(`/variants/${index}/sku`, sku)),
  ]
}
