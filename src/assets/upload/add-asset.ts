import type { Db, Trx } from '../../platform/db/index.ts'
import type { ReceivedFile } from '../../platform/http/uploads/receive-upload.ts'
import { requireAccepted } from '../../platform/uploads/inspection.ts'
import { newId } from '../ids.ts'
import type { AssetInfo, InspectAsset } from '../inspection.ts'
import { assetProblems } from '../problems.ts'
import { type Asset, findAssetByContent, insertAssetOnce } from '../store.ts'

export const MAX_ASSET_BYTES = 64 * 1024 * 1024

/**
 * Inspects an uploaded image. If the account has already uploaded the same bytes, the image is not decoded again.
 *
 * @throws `asset_type_unsupported`, `asset_unreadable`, `asset_too_large`, `service_unavailable`
 */
export async function examineFile(
  { db, inspect }: { db: Db; inspect: InspectAsset },
  ownerId: string,
  file: ReceivedFile,
): Promise<AssetInfo> {
  const known = await findAssetByContent(db, ownerId, file.sha256)
  if (known !== undefined) return known
  return requireAccepted(await inspect({ path: file.path }, ownerId), assetProblems)
}

/**
 * Adds an asset whose bytes are in the storage. If the owner already has an asset with the same bytes, returns that
 * asset.
 */
export async function addAsset(
  trx: Trx,
  { ownerId, file, info, now }: { ownerId: string; file: ReceivedFile; info: AssetInfo; now: Date },
): Promise<{ asset: Asset; created: boolean }> {
  return insertAssetOnce(trx, {
    ...info,
    id: newId('asset'),
    ownerId,
    sha256: file.sha256,
    bytes: file.bytes,
    createdAt: now,
  })
}
