import { type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import type { FieldTexts } from '../../parts/history/history-section.tsx'
import { useFieldValues } from '../../parts/history/use-field-values.ts'
import { allProductsQuery } from '../queries.ts'

const NAMES: Readonly<Record<string, MessageKey>> = {
  name: 'consoleCatalogue.name',
  productId: 'consoleCatalogue.product',
  status: 'consoleCatalogue.status',
  categories: 'consoleCatalogue.categories',
}

/** Says in words which field of a template a change names, and what its values are. */
export function useTemplateFields(): FieldTexts {
  const { text } = useTexts()
  const { memberName, valueText } = useFieldValues(NAMES)
  const products = useQuery(allProductsQuery()).data
  return {
    nameOf: memberName,
    textOf: (pointer, value) => {
      if (pointer === '/status') return text(statusText(value))
      if (pointer === '/productId') return products?.find(({ id }) => id === value)?.name ?? String(value)
      return valueText(value)
    },
  }
}

const statusText = (status: unknown): MessageKey =>
  status === 'archived' ? 'consoleCatalogue.archived' : 'consoleCatalogue.active'
