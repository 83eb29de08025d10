import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../../db/index.ts'
import type { Log } from '../../telemetry/log.ts'
import { openIfThere } from './inspect-object.ts'
import type { ObjectStore } from './object-store.ts'
import { sampleObjects } from './store.ts'

/** A storage of another installation lacks nearly all files of the database, so few of them are enough. */
const SAMPLE = 8

/** A row is written before its bytes, so the bytes of the newest rows may be under way. */
const MIN_AGE_SECONDS = 60

/** Of fewer files, single missing ones would be half. */
const LEAST_SEARCHED = 4

const EVERY_MS = 60_000

export interface StoreComparison {
  /** Number of files that the database knows, and for which the store was searched. */
  searched: number
  missing: number
}

/** Compares the store with a random sample of the files that the database knows. */
export async function compareStore(db: Db, store: Pick<ObjectStore, 'open'>): Promise<StoreComparison> {
  const objects = await sampleObjects(db, { limit: SAMPLE, minAgeSeconds: MIN_AGE_SECONDS })
  let missing = 0
  for (const { sha256 } of objects) {
    const stream = await openIfThere(store, sha256)
    if (stream === undefined) missing += 1
    stream?.destroy()
  }
  return { searched: objects.length, missing }
}

export interface StoreWatch {
  stop(): void
}

/**
 * Names a store that does not have the files of the database, once. A node with another `PLATEN_STORAGE_URL` than the
 * others would otherwise start without an error, and could not send their files. Compares until the database knows some
 * files and the store responds.
 */
export function watchStore({
  compare,
  log,
  everyMs = EVERY_MS,
}: {
  compare: () => Promise<StoreComparison>
  log: Log
  everyMs?: number
}): StoreWatch {
  const stopping = new AbortController()
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const { searched, missing } = await compare().catch(() => ({ searched: 0, missing: 0 }))
      const isEnough = searched >= LEAST_SEARCHED
      if (isEnough && missing * 2 >= searched) {
        log.error(
          { searched, missing },
          'the storage does not have the files of the database: check that all nodes have the same PLATEN_STORAGE_URL, and that its disk is mounted',
        )
      }
      if (isEnough) return
      await delay(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }
  void watch()
  return { stop: () => stopping.abort() }
}
