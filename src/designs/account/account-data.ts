import { assetUses } from '../../assets/index.ts'
import { type AccountData, erasedBatch } from '../../auth/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { eachRow } from '../../platform/db/reading/each-row.ts'
import { eraseEvents } from '../../platform/outbox/index.ts'
import { countRecordsOf } from '../../platform/records/move-records.ts'
import { listDesigns } from '../listing/store.ts'
import { designJson } from '../schemas.ts'
import { type Design, deleteDesigns, eraseDesigns, lockDesignsOf } from '../store.ts'
import { moveDesigns, moveSomeDesigns } from './move-designs.ts'

const PAGE = 50

const ERASED_AT_ONCE = 250

export interface DesignAccountDeps {
  clock: Clock
  /** Finds those of the designs that orders refer to. */
  listOrdered(trx: Trx, designIds: readonly string[]): Promise<string[]>
}

/**
 * Exports and erases the designs of an account. An ordered design retains its finalization and files, without name and
 * metadata.
 */
export function designAccountData({ clock, listOrdered }: DesignAccountDeps): AccountData {
  return {
    name: 'designs',
    list: async function* (db, ownerId) {
      const filter = { ownerId, status: undefined, now: clock.now(), productId: undefined, limit: PAGE }
      const designs = eachRow<Design>(async (last) => (await listDesigns(db, { ...filter, after: last?.id })).rows)
      for await (const design of designs) yield designJson(design, clock.now())
    },
    erase: async (trx, ownerId, at, after = '') => {
      const all = await lockDesignsOf(trx, { ownerId, after, limit: ERASED_AT_ONCE })
      // Lists the ordered designs after the lock, so that an order placed at the same time is either visible in the list
      // or fails because its design is gone.
      const ordered = new Set(await listOrdered(trx, all))
      await deleteDesigns(
        trx,
        all.filter((id) => !ordered.has(id)),
      )
      await eraseDesigns(
        trx,
        all.filter((id) => ordered.has(id)),
        at,
      )
      await eraseEvents(trx, all)
      return erasedBatch(all, { limit: ERASED_AT_ONCE })
    },
    rewritesEvents: true,
    // Before the assets, because documents name the assets that the other user has too.
    move: async (trx, from, to) => moveDesigns(trx, { from, to, assets: await assetUses.listEqual(trx, from, to) }),
    countLeft: (trx, ownerId) => countRecordsOf(trx, 'designs', ownerId),
    moveMore: (trx, from, to) => moveSomeDesigns(trx, { from, to }),
  }
}
