import { OWN, platen } from '@platen/app/session'
import type { ListedDesign, ListProductsQuery, ListTemplatesQuery, PriceTier, Product } from '@platen/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'

/** Keys of everything about the catalogue begin with this. */
export const CATALOGUE = [OWN, 'catalogue'] as const

/** A page of the table. Other administrators change products at the same time, so each visit reads it again. */
export const productListQuery = (query: ListProductsQuery) =>
  queryOptions({
    queryKey: [...CATALOGUE, 'list', query],
    queryFn: ({ signal }) => platen.products.list(query, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

export const productQuery = (productId: string) =>
  queryOptions({
    queryKey: [...CATALOGUE, 'product', productId],
    queryFn: ({ signal }) => platen.products.get(productId, { signal }),
  })

/** The categories that active products have. */
export const categoriesQuery = () =>
  queryOptions({
    queryKey: [...CATALOGUE, 'categories'],
    queryFn: async ({ signal }) => {
      const names = new Set<string>()
      for await (const { categories } of platen.products.list({ limit: 100 }, { signal })) {
        for (const category of categories) names.add(category)
      }
      return [...names].sort((a, b) => a.localeCompare(b))
    },
  })

export const colorProfilesQuery = () =>
  queryOptions({
    queryKey: [...CATALOGUE, 'color profiles'],
    queryFn: async ({ signal }) => (await platen.colorProfiles.list({ limit: 100 }, { signal })).data,
  })

/** All products, also the archived ones. A shop has few enough for a list. */
export const allProductsQuery = () =>
  queryOptions({
    queryKey: [...CATALOGUE, 'all products'],
    queryFn: async ({ signal }) => {
      const products: Product[] = []
      for (const status of ['active', 'archived'] as const) {
        for await (const product of platen.products.list({ limit: 100, status }, { signal })) products.push(product)
      }
      return products
    },
    staleTime: 0,
  })

/** A page of the table of templates. */
export const templateListQuery = (query: ListTemplatesQuery) =>
  queryOptions({
    queryKey: [...CATALOGUE, 'templates', query],
    queryFn: ({ signal }) => platen.templates.list(query, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** The drafts of the administrator, which can become templates. */
export const draftsQuery = () =>
  queryOptions({
    queryKey: [...CATALOGUE, 'drafts'],
    queryFn: async ({ signal }) => {
      const drafts: ListedDesign[] = []
      const query = { status: 'draft', view: 'summary', limit: 100 } as const
      for await (const draft of platen.designs.list(query, { signal })) drafts.push(draft)
      return drafts
    },
    staleTime: 0,
  })

/** The quantities whose prices a preview shows. */
const QUANTITIES = [1, 10, 50, 100, 250, 500, 1_000]

/** What quantities cost with price tiers that need not be saved. The service computes it as for orders. */
export const pricePreviewQuery = (currency: string, priceTiers: PriceTier[]) =>
  queryOptions({
    queryKey: [...CATALOGUE, 'price preview', currency, priceTiers],
    queryFn: ({ signal }) =>
      platen.products.previewPrices({ currency, priceTiers, quantities: QUANTITIES }, { signal, maxRetries: 0 }),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** An uploaded picture that no product shows yet. It needs the credential of the administrator. */
export const newPictureQuery = (assetId: string) =>
  queryOptions({
    queryKey: [...CATALOGUE, 'picture', assetId],
    queryFn: async ({ signal }) => (await platen.assets.getThumbnail(assetId, { size: 400 }, { signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  })
