import { type DraftOption, type DraftVariant, namesOf } from './draft.ts'

/** The values of a variant, such as "A5, matt". A product without options has one variant, without values. */
export function variantName(
  variant: Pick<DraftVariant, 'chosen'>,
  options: readonly DraftOption[],
  only: string,
): string {
  const values = Object.values(namesOf(variant, options))
  return values.length === 0 ? only : values.join(', ')
}
