import { platen } from '@platen/app/session'
import type { Product } from '@platen/client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { pageData } from '../session/page-data.ts'

export interface CatalogueFilter {
  category: string | undefined
  q: string | undefined
}

export const catalogueQuery = (filter: CatalogueFilter) =>
  infiniteQueryOptions({
    queryKey: ['products', filter],
    queryFn: ({ pageParam, signal }) =>
      platen.products.list({ ...filter, limit: 60, cursor: pageParam, status: 'active' }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: 60_000,
    initialData: () => firstPageOf(filter),
  })

function firstPageOf({ category, q }: CatalogueFilter) {
  const { catalogue } = pageData
  if (catalogue === undefined || catalogue.filter.category !== category || catalogue.filter.q !== q) return undefined
  return { pages: [catalogue.page], pageParams: [undefined] }
}

export const productQuery = (productId: string) =>
  queryOptions({
    queryKey: ['product', productId],
    queryFn: ({ signal }) => platen.products.get(productId, { signal }),
    staleTime: 60_000,
    initialData: () => (pageData.product?.id === productId ? pageData.product : undefined),
  })

export const templatesQuery = (productId: string) =>
  infiniteQueryOptions({
    queryKey: ['templates', productId],
    queryFn: ({ pageParam, signal }) =>
      platen.templates.list({ productId, view: 'summary', limit: 24, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: 60_000,
  })

/** Returns the lowest price of a piece, in minor units. */
export function lowestAmount({ variants }: Product): number | undefined {
  const amounts = variants
    .filter(({ available }) => available)
    .flatMap(({ priceTiers }) => priceTiers.map(({ unitAmount }) => unitAmount))
  return amounts.length === 0 ? undefined : Math.min(...amounts)
}
