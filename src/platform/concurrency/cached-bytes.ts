import { LRUCache } from 'lru-cache'
import { runForAll } from './request-context.ts'
import { createKeyedSemaphore, type WaitingLimit } from './semaphore.ts'

export interface CachedBytesOptions {
  /** What the cache keeps in memory. */
  maxBytes: number
  /** Larger results are not kept, because one of them would evict many others. */
  maxEntryBytes: number
  /** How many results are made at once for one account. */
  atOnce: number
  /** The most results that wait for one account. */
  waiting: WaitingLimit
}

/** A page shows many pictures at once. They wait here, because the renderer queues only few jobs of one account. */
export const PICTURES = { maxBytes: 32 * 1024 * 1024, maxEntryBytes: 2 * 1024 * 1024, atOnce: 4 }

/** How a result is made, and for whose account. */
export interface Making {
  account: string
  make(): Promise<Uint8Array>
}

/**
 * Bytes that are made when they are read. Parallel readers of one account share the work, so it runs outside of any
 * request. Other accounts share only finished results: otherwise they would wait in the queue of the first reader.
 */
export interface CachedBytes {
  read(key: string, making: Making): Promise<Uint8Array>
}

export function createCachedBytes({ maxBytes, maxEntryBytes, atOnce, waiting }: CachedBytesOptions): CachedBytes {
  const semaphore = createKeyedSemaphore(waiting)
  const pending = new Map<string, Promise<Uint8Array>>()
  const finished = new LRUCache<string, Uint8Array>({
    maxSize: maxBytes,
    maxEntrySize: maxEntryBytes,
    sizeCalculation: (bytes) => Math.max(1, bytes.byteLength),
  })

  // Also waits outside of the first request: if its client disconnects, the other readers still need the result.
  const start = (key: string, { account, make }: Making): Promise<Uint8Array> =>
    runForAll(() =>
      semaphore.run(account, atOnce, async () => {
        // Another account may have finished it in the meantime.
        const bytes = finished.get(key) ?? (await make())
        finished.set(key, bytes)
        return bytes
      }),
    )

  return {
    read: async (key, making) => {
      const bytes = finished.get(key)
      if (bytes !== undefined) return bytes
      const own = `${making.account} ${key}`
      const work = pending.get(own) ?? start(key, making).finally(() => pending.delete(own))
      pending.set(own, work)
      return work
    },
  }
}
