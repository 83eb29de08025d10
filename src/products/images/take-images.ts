import { shareWithShop } from '../../assets/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import { productProblems } from '../problems.ts'
import type { ProductImage, ProductImageInput } from '../schemas.ts'

interface ImagesToTake {
  ownerId: string
  images: readonly ProductImageInput[]
  now: Date
}

/**
 * Makes the named assets images of the shop, so that the product keeps them if the account deletes them.
 *
 * @throws `product_invalid`
 */
export async function takeImages(trx: Trx, { ownerId, images, now }: ImagesToTake): Promise<ProductImage[]> {
  const ids = images.map(({ assetId }) => assetId)
  const shared = await shareWithShop(trx, { ownerId, ids, now })
  const errors = ids.flatMap((id, index) => {
    if (shared.has(id)) return []
    const detail = 'The administrator has no asset, and the shop no image, with this id.'
    return [{ code: 'asset_unknown', pointer: `/images/${index}/assetId`, detail }]
  })
  const taken = images.flatMap(({ assetId, alt }) => {
    const asset = shared.get(assetId)
    return asset === undefined ? [] : [{ id: asset.id, alt }]
  })
  taken.forEach(({ id }, index) => {
    if (taken.findIndex((one) => one.id === id) === index) return
    const detail = 'An earlier entry already shows this image.'
    errors.push({ code: 'duplicate', pointer: `/images/${index}/assetId`, detail })
  })
  if (errors.length > 0) throw productProblems.product_invalid({ errors })
  return taken
}
