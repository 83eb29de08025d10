import { type Static, Type } from 'typebox'
import type { Order, OrderItem } from '../order.ts'

const closed = { additionalProperties: false } as const
const known = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

/** The members of an order item that describe what was ordered, as it was then. */
export const itemSnapshotMembers = {
  product: Type.Object(
    { id: known('Null in orders of earlier versions.'), name: known('Name when the order was created.') },
    closed,
  ),
  variant: Type.Object(
    {
      id: Type.String(),
      sku: known('SKU when the order was created.'),
      options: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], {
        description: 'Options when the order was created.',
      }),
    },
    closed,
  ),
  design: Type.Object(
    { id: Type.String(), name: known('Name when the order was created. Null after the account was erased.') },
    closed,
  ),
  previewUrl: known(
    'Path of the preview of the first print area, relative to the origin. It needs a credential of the owner or of an operator.',
  ),
}

const Snapshot = Type.Object(itemSnapshotMembers)
type SnapshotBody = Static<typeof Snapshot>

/** Names that an earlier version did not record are null. */
export function toSnapshotBody(orderId: Order['id'], { id, designId, variantId, snapshot }: OrderItem): SnapshotBody {
  const { productId = null, productName = null, sku = null, options = null, designName = null } = snapshot ?? {}
  const file = snapshot?.previewFileId
  return {
    product: { id: productId, name: productName },
    variant: { id: variantId, sku, options },
    design: { id: designId, name: designName },
    previewUrl: file == null ? null : `/v1/orders/${orderId}/items/${id}/files/${file}`,
  }
}
