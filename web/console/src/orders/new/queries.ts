import { isMissing } from '@platen/app/frame'
import { OWN, platen } from '@platen/app/session'
import type { ListedDesign, Product } from '@platen/client'
import { queryOptions } from '@tanstack/react-query'
import { CATALOGUE } from '../../catalogue/queries.ts'

/** Keys of the designs of a customer begin with this. */
export const designsOf = (customer: string) => [OWN, 'designs of', customer] as const

/**
 * The designs of a customer that can be ordered: the wanted ones first, then the newest of the others. Wanted designs
 * that are archived or erased are left out.
 */
export const designsOfQuery = (customer: string, wanted: readonly string[]) =>
  queryOptions({
    queryKey: [...designsOf(customer), wanted],
    queryFn: async ({ signal }) => {
      const options = { customer, signal }
      const newest = (await platen.designs.list({ status: 'finalized', view: 'summary', limit: 100 }, options)).data
      const first: ListedDesign[] = []
      for (const id of new Set(wanted)) {
        const design = newest.find((one) => one.id === id) ?? (await findDesign(id, options))
        if (design?.status === 'finalized') first.push(design)
      }
      return [...first, ...newest.filter(({ id }) => !wanted.includes(id))]
    },
    staleTime: 0,
  })

async function findDesign(id: string, options: { customer: string; signal: AbortSignal }) {
  try {
    return await platen.designs.get(id, options)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The products that can be ordered. A shop has few enough for a list. */
export const productsOnSaleQuery = () =>
  queryOptions({
    queryKey: [...CATALOGUE, 'products on sale'],
    queryFn: async ({ signal }) => {
      const products: Product[] = []
      for await (const product of platen.products.list({ limit: 100 }, { signal })) products.push(product)
      return products.sort((a, b) => a.name.localeCompare(b.name))
    },
  })

/** The newest templates of a product. */
export const templatesOfQuery = (productId: string) =>
  queryOptions({
    queryKey: [...CATALOGUE, 'templates of', productId],
    queryFn: async ({ signal }) =>
      (await platen.templates.list({ productId, view: 'summary', limit: 100 }, { signal })).data,
  })
