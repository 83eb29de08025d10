import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Db, Trx } from '../../../platform/db/index.ts'
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

/** Purpose of the sealing key for `keys.derive`. */
export const SEALING_KEY = 'platen security events 1'

/** Start of a chain from which nothing was removed. */
export const ORIGIN: ChainPoint = { sequence: 0, seal: Buffer.alloc(32) }

const BATCH = 1000

/**
 * Computes the seal of an event: HMAC-SHA256 over the previous seal and all of the event, in which a digest stands for
 * the personal part. Without the secret of the service, an attacker with the database cannot compute it.
 */
export function sealOf(key: Buffer, previous: ChainPoint, content: SealedContent): Buffer {
  const { id, type, result, userId, actor, sessionId, method, details, personalDigest, recordedAtMicros } = content
  const row = [id, type, result, userId, actor, sessionId, method, details, personalDigest, recordedAtMicros]
  return createHmac('sha256', key)
    .update(previous.seal)
    .update(JSON.stringify([previous.sequence + 1, ...row]))
    .digest()
}

/** Computes the seal that shows that the service itself moved the start of the chain. */
export function sealOfStart(key: Buffer, { sequence, seal }: ChainPoint): Buffer {
  return createHmac('sha256', key).update(`start ${sequence} `).update(seal).digest()
}

export function isStartValid(key: Buffer, start: ChainStart): boolean {
  const expected = sealOfStart(key, start)
  return start.proof.length === expected.length && timingSafeEqual(start.proof, expected)
}

/**
 * Seals visible events, a batch per transaction. An event becomes visible when its transaction commits, so a younger
 * event may come first in the chain. Once sealed, an event cannot change, disappear or get a new neighbour.
 *
 * @param wait whether to wait for another process that is sealing, or to return
 * @returns whether all visible events are sealed
 */
export async function sealEvents(db: Db, key: Buffer, { wait }: { wait: boolean }): Promise<boolean> {
  for (;;) {
    const sealed = await db.transaction().execute((trx) => sealBatch(trx, key, { wait }))
    if (sealed === undefined) return false
    if (sealed < BATCH) return true
  }
}

/** @returns how many events were sealed; undefined if another process is sealing */
export async function sealBatch(trx: Trx, key: Buffer, { wait }: { wait: boolean }): Promise<number | undefined> {
  if (wait) await lockChain(trx)
  else if (!(await tryLockChain(trx))) return undefined
  const rows = await listUnsealed(trx, BATCH)
  if (rows.length === 0) return 0
  let point: ChainPoint = (await readChainEnd(trx)) ?? (await readChainStart(trx)) ?? ORIGIN
  const sealed = rows.map((content) => {
    point = { sequence: point.sequence + 1, seal: sealOf(key, point, content) }
    return { id: content.id, ...point }
  })
  await setSeals(trx, sealed)
  return rows.length
}
