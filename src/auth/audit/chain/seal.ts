import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Db, Trx } from '../../../platform/db/index.ts'
import type { KeyDerivation } from '../../keys/secrets.ts'
import { requireSealingKey } from './chain-keys.ts'
import {
  type ChainPoint,
  type ChainStart,
  listUnsealed,
  lockChain,
  readChainEnd,
  readChainStart,
  type SealedContent,
  setSeals,
  tryLockChain,
} from './store.ts'

/** The position before the first event of a chain from which no event was removed. */
export const ORIGIN: ChainPoint = { sequence: 0, seal: Buffer.alloc(32) }

const BATCH = 1000

/**
 * Computes the seal of an event: an HMAC-SHA256 over the previous seal and the event. The personal part enters as a
 * digest, so that it can be erased without breaking the seal. An attacker who has the database but not the secret of
 * the service cannot compute seals.
 */
export function sealOf(key: Buffer, previous: ChainPoint, content: SealedContent): Buffer {
  const { id, type, result, userId, actor, sessionId, method, details, personalDigest, recordedAtMicros } = content
  const row = [id, type, result, userId, actor, sessionId, method, details, personalDigest, recordedAtMicros]
  return createHmac('sha256', key)
    .update(previous.seal)
    .update(JSON.stringify([previous.sequence + 1, ...row]))
    .digest()
}

/** Computes the seal of a stored start of the chain. It shows that the service itself removed the events before it. */
export function sealOfStart(key: Buffer, { sequence, seal }: ChainPoint): Buffer {
  return createHmac('sha256', key).update(`start ${sequence} `).update(seal).digest()
}

export function isStartValid(key: Buffer, start: ChainStart): boolean {
  const expected = sealOfStart(key, start)
  return start.proof.length === expected.length && timingSafeEqual(start.proof, expected)
}

/**
 * Seals all committed events, one batch per transaction. Events get their place in the chain in the order in which they
 * become visible, which can differ from the order of their ids. Once sealed, no event can be changed, removed or
 * inserted between others without detection.
 *
 * @param wait whether to wait if another process is sealing, or to return false
 * @returns whether all committed events are sealed
 */
export async function sealEvents(db: Db, keys: KeyDerivation, { wait }: { wait: boolean }): Promise<boolean> {
  for (;;) {
    const sealed = await db.transaction().execute((trx) => sealBatch(trx, keys, { wait }))
    if (sealed === undefined) return false
    if (sealed < BATCH) return true
  }
}

/** Seals up to `BATCH` events. @returns how many were sealed; undefined if another process is sealing */
export async function sealBatch(
  trx: Trx,
  keys: KeyDerivation,
  { wait }: { wait: boolean },
): Promise<number | undefined> {
  if (wait) await lockChain(trx)
  else if (!(await tryLockChain(trx))) return undefined
  const rows = await listUnsealed(trx, BATCH)
  if (rows.length === 0) return 0
  const key = await requireSealingKey(trx, keys)
  let point: ChainPoint = (await readChainEnd(trx)) ?? (await readChainStart(trx)) ?? ORIGIN
  const sealed = rows.map((content) => {
    point = { sequence: point.sequence + 1, seal: sealOf(key, point, content) }
    return { id: content.id, ...point }
  })
  await setSeals(trx, sealed)
  return rows.length
}
