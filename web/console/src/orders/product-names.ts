import { platen } from '@platen/app/session'
import { queryOptions } from '@tanstack/react-query'

/** The products by name. A shop has few enough to choose from a list. */
export const productNamesQuery = () =>
  queryOptions({
    queryKey: ['product names'],
    queryFn: async ({ signal }) => {
      const names: { id: string; text: string }[] = []
      for await (const { id, name } of platen.products.list({ limit: 100 }, { signal })) names.push({ id, text: name })
      return names.sort((a, b) => a.text.localeCompare(b.text))
    },
  })
