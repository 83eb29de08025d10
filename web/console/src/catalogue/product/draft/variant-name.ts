import { useTexts } from '@platen/ui'
import type { DraftOption, DraftVariant } from './draft.ts'

/**
 * Returns what names a variant: its values, such as "A5, matt". A value without a text has its number instead. A product
 * without options has one variant, without values.
 */
export function useVariantName(options: readonly DraftOption[]): (variant: Pick<DraftVariant, 'chosen'>) => string {
  const { text } = useTexts()
  return ({ chosen }) => {
    const names = options.map(({ key, values }) => {
      const at = values.findIndex((one) => one.key === chosen[key])
      return values[at]?.value || text('consoleCatalogue.newValue', { number: at + 1 })
    })
    return names.length === 0 ? text('consoleCatalogue.onlyVariant') : names.join(', ')
  }
}
