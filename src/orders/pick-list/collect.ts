import { findPreviews } from '../../designs/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { findProduct, type Product } from '../../products/index.ts'
import type { Order, OrderItem, Personalization } from '../order/store.ts'
import { leftToShip } from '../production/ship-order.ts'
import { findMethod } from '../shipping/store.ts'

export interface PickedItem {
  /** Position of the item in the order, from 1. The names of its print files contain it. */
  position: number
  quantity: number
  left: number
  product: string
  variant: string
  designId: string
  texts: [name: string, text: string][]
  /** SHA-256 of the preview that the pick list shows. */
  preview: string | undefined
  warning: string | undefined
}

export interface PickList {
  order: Order
  shipping: string
  items: PickedItem[]
}

const WARNINGS = {
  pending: 'The print files of this item are not rendered yet.',
  failed: 'The print files of this item could not be rendered.',
  ready: undefined,
} as const

export async function collectPickLists(db: Db, orders: readonly Order[]): Promise<PickList[]> {
  const finalizationIds = orders.flatMap(({ items }) => items.map((item) => item.finalizationId))
  const finalizations = new Map((await findPreviews(db, finalizationIds)).map((one) => [one.id, one]))
  const productIds = [...finalizations.values()].map(({ productId }) => productId)
  const products = await findEach(productIds, (id) => findProduct(db, id))
  const methods = await findEach(
    orders.map(({ shippingMethod }) => shippingMethod),
    (id) => findMethod(db, id),
  )
  return orders.map((order) => {
    const left = leftToShip(order)
    return {
      order,
      shipping: methods.get(order.shippingMethod)?.name ?? order.shippingMethod,
      items: order.items.map((item, index) => {
        const finalization = finalizations.get(item.finalizationId)
        const { personalization, quantity, designId, data } = item
        return {
          position: index + 1,
          quantity,
          left: left.get(item.id) ?? 0,
          ...describe(item, products.get(finalization?.productId ?? '')),
          designId,
          texts: Object.entries(data ?? {}),
          preview: (personalization === null ? finalization?.preview : previewOf(personalization)) ?? undefined,
          warning: personalization === null ? undefined : WARNINGS[personalization.status],
        }
      }),
    }
  })
}

function previewOf({ files }: Personalization): string | undefined {
  return files?.find(({ kind }) => kind === 'preview')?.sha256
}

async function findEach<T>(ids: readonly string[], find: (id: string) => Promise<T>): Promise<Map<string, T>> {
  const found = new Map<string, T>()
  for (const id of new Set(ids)) found.set(id, await find(id))
  return found
}

/**
 * Describes the product and the variant of an item. The product may no longer have the variant, and after a repair of
 * the database the product itself may be missing.
 */
function describe({ variantId }: OrderItem, product: Product | undefined): { product: string; variant: string } {
  const variant = product?.variants.find(({ id }) => id === variantId)
  const options = Object.entries(variant?.options ?? {}).map(([name, value]) => `${name}: ${value}`)
  const sku = variant === undefined ? variantId : `SKU ${variant.sku}`
  return { product: product?.name ?? 'Unknown product', variant: [...options, sku].join(' · ') }
}
