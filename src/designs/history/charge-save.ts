import type { Trx } from '../../platform/db/index.ts'
import { Problem } from '../../platform/problem.ts'
import type { StorageQuota } from '../../platform/storage/index.ts'
import { dropOldest } from './store.ts'

export interface SavedBytes {
  ownerId: string
  designId: string
  /** How much the draft has grown. */
  draft: number
  /** How much its earlier revisions have grown. */
  revisions: number
}

/**
 * Charges a save to the storage quota. Earlier revisions must not stop their owner from saving: if they do not fit, the
 * oldest revisions of the design are deleted.
 *
 * @throws `storage_quota_exceeded` if the draft itself does not fit
 */
export async function chargeSave(
  trx: Trx,
  quota: Pick<StorageQuota, 'charge'>,
  { ownerId, designId, draft, revisions }: SavedBytes,
): Promise<void> {
  try {
    await quota.charge(trx, ownerId, draft + revisions)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'storage_quota_exceeded') throw error
    await quota.charge(trx, ownerId, -draft - revisions)
    await quota.charge(trx, ownerId, draft)
    await quota.charge(trx, ownerId, revisions - (await dropOldest(trx, designId, revisions)))
  }
}
