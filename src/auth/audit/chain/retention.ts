import type { Db, Trx } from '../../../platform/db/index.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import { requireSealingKey } from './chain-keys.ts'
import { sealOfStart } from './seal.ts'
import { type ChainPoint, lockChain, lockOldest, readChainStart, removeOldest } from './store.ts'

const BATCH = 1000

/**
 * Removes events that were recorded before a timestamp from the start of the chain, and stores the new start with a
 * seal.
 */
export async function pruneSecurityEvents(db: Db, keys: KeyDerivation, before: Date): Promise<void> {
  while ((await db.transaction().execute((trx) => pruneBatch(trx, keys, before))) === BATCH);
}

/** Removes up to `BATCH` events in the order of the chain. @returns how many events were removed */
async function pruneBatch(trx: Trx, keys: KeyDerivation, before: Date): Promise<number> {
  await lockChain(trx)
  const start = (await readChainStart(trx))?.sequence ?? 0
  const oldest = await lockOldest(trx, BATCH)
  // The remaining chain must not have a gap, so removal stops before the first event that is too recent or locked.
  const end = oldest.findIndex(
    ({ sequence, recordedAt }, index) => sequence !== start + 1 + index || recordedAt >= before,
  )
  const removed = end === -1 ? oldest : oldest.slice(0, end)
  const last: ChainPoint | undefined = removed.at(-1)
  if (last === undefined) return 0
  const { sequence, seal } = last
  await removeOldest(trx, { sequence, seal, proof: sealOfStart(await requireSealingKey(trx, keys), last) })
  return removed.length
}
