import { findShopAssets } from '../assets/index.ts'
import type { Db, Trx } from '../platform/db/index.ts'
import { findTemplateAssetIds } from './store.ts'

export type { FindPublishable } from './publish-template.ts'
export { type DrawPreview, templateRoutes } from './routes.ts'
export { findTemplate, type Template } from './store.ts'

/** Finds those of the named images that belong to a template in any state. */
export async function findTemplateAssets(
  db: Db | Trx,
  templateId: string,
  ids: readonly string[],
): Promise<Awaited<ReturnType<typeof findShopAssets>>> {
  const named = new Set(await findTemplateAssetIds(db, templateId))
  return findShopAssets(
    db,
    ids.filter((id) => named.has(id)),
  )
}
