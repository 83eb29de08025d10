import { createCachedBytes, PICTURES } from '../platform/concurrency/cached-bytes.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import type { Storage } from '../platform/storage/index.ts'
import { type Inspection, requireAccepted } from '../platform/uploads/inspection.ts'
import type { InspectAsset } from './inspection.ts'
import { assetProblems } from './problems.ts'
import type { Asset } from './store.ts'

type Refusal = Extract<Awaited<ReturnType<InspectAsset>>, { detail: string }>['outcome']

/** Draws a thumbnail in another process with limits of time and memory. */
export type DrawThumbnail = (file: { path: string }, account: string) => Promise<Inspection<Uint8Array, Refusal>>

const WAITING_PER_ACCOUNT = 200

export interface Thumbnails {
  /**
   * @param account whose processing time a drawing takes
   * @throws `asset_unreadable`, `asset_too_large`, `service_unavailable`, `storage_unavailable`
   */
  read(asset: Asset, account: string): Promise<Uint8Array>
}

/**
 * Draws thumbnails when they are read. They are not stored, because they would have to count in the quota of the owner.
 * Owners share nothing: neither a drawing, nor the knowledge that another one has the same image.
 */
export function createThumbnails(deps: { storage: Pick<Storage, 'localPath'>; draw: DrawThumbnail }): Thumbnails {
  const drawn = createCachedBytes({
    ...PICTURES,
    waiting: {
      max: WAITING_PER_ACCOUNT,
      whenFull: () => httpProblems.service_unavailable({ headers: { 'Retry-After': '3' } }),
    },
  })
  const draw = async ({ sha256 }: Asset, account: string): Promise<Uint8Array> =>
    requireAccepted(await deps.draw({ path: await deps.storage.localPath(sha256) }, account), assetProblems)
  return {
    read: (asset, account) =>
      drawn.read(`${asset.ownerId} ${asset.sha256}`, { account, make: () => draw(asset, account) }),
  }
}
