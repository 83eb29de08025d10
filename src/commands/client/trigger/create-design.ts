import { CommandError } from '../../command-line/command-error.ts'
import { readAll } from '../requests/all-pages.ts'
import type { Connection } from '../requests/connection.ts'
import { ApiError } from '../requests/problem.ts'
import { call } from '../requests/request.ts'
import { documentFor, type Product } from './document.ts'

export interface Chosen {
  designId: string
  /** At least two, so that an order can be shipped in parts. */
  quantity: number
}

/** Creates a draft with a text, for the first product of the catalogue for which such a design passes preflight. */
export async function createDesign(connection: Connection, text: string): Promise<Chosen> {
  for await (const product of readAll<Product>(connection, '/products')) {
    const variant = product.variants.find(({ available }) => available)
    if (product.status !== 'active' || variant === undefined) continue
    const quantity = Math.max(2, Math.min(...variant.priceTiers.map(({ minQuantity }) => minQuantity)))
    const body = {
      name: 'Made by platen trigger',
      productId: product.id,
      variantId: variant.id,
      document: documentFor(product, text),
    }
    const design = await call<{ id: string; preflight: { ok: boolean } }>(connection, ['POST', '/designs'], { body })
    if (design.preflight.ok) return { designId: design.id, quantity }
    await call(connection, ['DELETE', `/designs/${design.id}`])
  }
  throw new CommandError('No product of the catalogue is available for a simple design. Add a product and try again.')
}

const NAME = { name: 'Ada Example' }

/** Postal addresses to try, because a shop does not ship to every country. */
const ADDRESSES = [
  { ...NAME, line1: 'Lindenstr. 12', postalCode: '10969', city: 'Berlin', country: 'DE' },
  { ...NAME, line1: '10 Rue de Rivoli', postalCode: '75004', city: 'Paris', country: 'FR' },
  { ...NAME, line1: 'Damrak 1', postalCode: '1012 LG', city: 'Amsterdam', country: 'NL' },
  { ...NAME, line1: '10 Downing Street', postalCode: 'SW1A 2AA', city: 'London', country: 'GB' },
  { ...NAME, line1: '1 Main Street', postalCode: '10001', city: 'New York', region: 'NY', country: 'US' },
]

/** Orders a finalized design. Returns the id of the order. @param data texts for the placeholders */
export async function createOrder(connection: Connection, chosen: Chosen, data?: Record<string, string>) {
  const items = [{ ...chosen, ...(data === undefined ? {} : { data }) }]
  let refused: unknown
  for (const shippingAddress of ADDRESSES) {
    try {
      const quoted = { body: { items, shippingAddress } }
      const quote = await call<{ id: string; shippingMethods: { id: string }[] }>(
        connection,
        ['POST', '/quotes'],
        quoted,
      )
      const body = { items, shippingAddress, shippingMethod: quote.shippingMethods[0]?.id }
      return (await call<{ id: string }>(connection, ['POST', '/orders'], { body })).id
    } catch (error) {
      if (!(error instanceof ApiError) || error.problem.code !== 'shipping_unavailable') throw error
      refused = error
    }
  }
  throw refused
}
