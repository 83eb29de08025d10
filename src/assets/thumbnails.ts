import { createCachedBytes, PICTURES } from '../platform/concurrency/cached-bytes.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import type { Storage } from '../platform/storage/index.ts'
import { type Inspection, requireAccepted } from '../platform/uploads/inspection.ts'
import type { InspectAsset } from './inspection.ts'
import { assetProblems } from './problems.ts'
import type { Asset } from './store.ts'

type Refusal = Extract<Awaited<ReturnType<InspectAsset>>, { detail: string }>['outcome']

/** Draws a thumbnail in another process with limits of time and memory. */
export type DrawThumbnail = (
  file: { path: string; longestSidePx?: number },
  account: string,
) => Promise<Inspection<Uint8Array, Refusal>>

/** An asset of which a thumbnail is drawn. */
export type ThumbnailSource = Pick<Asset, 'ownerId' | 'sha256'>

const WAITING_PER_ACCOUNT = 200

export interface Thumbnails {
  /**
   * @param account whose processing time a drawing takes
   * @param longestSidePx by default 400; smaller images keep their size
   * @throws `asset_unreadable`, `asset_too_large`, `service_unavailable`, `storage_unavailable`
   */
  read(asset: ThumbnailSource, account: string, longestSidePx?: number): Promise<Uint8Array>
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
  return {
    read: ({ ownerId, sha256 }, account, longestSidePx) => {
      const size = longestSidePx === undefined ? {} : { longestSidePx }
      const make = async () =>
        requireAccepted(
          await deps.draw({ path: await deps.storage.localPath(sha256), ...size }, account),
          assetProblems,
        )
      return drawn.read(`${ownerId} ${sha256} ${longestSidePx}`, { account, make })
    },
  }
}
