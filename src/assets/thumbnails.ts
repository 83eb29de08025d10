import { LRUCache } from 'lru-cache'
import { runForAll } from '../platform/concurrency/request-context.ts'
import { createKeyedSemaphore } from '../platform/concurrency/semaphore.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import type { Storage } from '../platform/storage/index.ts'
import { type Inspection, requireAccepted } from '../platform/uploads/inspection.ts'
import type { InspectAsset } from './inspection.ts'
import { assetProblems } from './problems.ts'
import type { Asset } from './store.ts'

type Refusal = Extract<Awaited<ReturnType<InspectAsset>>, { detail: string }>['outcome']

/** Draws a thumbnail in another process with limits of time and memory. */
export type DrawThumbnail = (file: { path: string }, ownerId: string) => Promise<Inspection<Uint8Array, Refusal>>

/** The thumbnails that a process keeps in memory. One has some 10 KB. */
const CACHE_BYTES = 32 * 1024 * 1024

/** A page shows many thumbnails at once. They wait here, because the renderer queues only few jobs of one owner. */
const DRAWN_PER_OWNER = 4
const WAITING_PER_OWNER = 200

export interface Thumbnails {
  /** @throws `asset_unreadable`, `asset_too_large`, `service_unavailable`, `storage_unavailable` */
  read(asset: Asset): Promise<Uint8Array>
}

/**
 * Draws thumbnails when they are read. They are not stored, because they would have to count in the quota of the owner.
 * Parallel requests for one image share one drawing.
 */
export function createThumbnails(deps: { storage: Pick<Storage, 'localPath'>; draw: DrawThumbnail }): Thumbnails {
  const drawing = createKeyedSemaphore({
    max: WAITING_PER_OWNER,
    whenFull: () => httpProblems.service_unavailable({ headers: { 'Retry-After': '3' } }),
  })
  const drawNow = async ({ sha256, ownerId }: Asset): Promise<Uint8Array> =>
    requireAccepted(await deps.draw({ path: await deps.storage.localPath(sha256) }, ownerId), assetProblems)
  const cache = new LRUCache<string, Uint8Array, Asset>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (bytes) => bytes.byteLength,
    fetchMethod: (_key, _stale, { context: asset }) =>
      drawing.run(asset.ownerId, DRAWN_PER_OWNER, () => runForAll(() => drawNow(asset))),
  })
  // Owners share nothing: neither the wait for a drawing, nor the knowledge that another one has the same image.
  const keyOf = ({ ownerId, sha256 }: Asset) => `${ownerId} ${sha256}`
  return { read: (asset) => cache.forceFetch(keyOf(asset), { context: asset }) }
}
