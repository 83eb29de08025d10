import { LRUCache } from 'lru-cache'
import { runForAll } from './request-context.ts'
import { createKeyedSemaphore, type WaitingLimit } from './semaphore.ts'

export interface CachedBytesOptions {
  /** What the cache keeps in memory. */
  maxBytes: number
  /** How many results are made at once for one account. */
  atOnce: number
  /** The most results that wait for one account. */
  waiting: WaitingLimit
}

/** How a result is made, and for whose account. */
export interface Making {
  account: string
  make(): Promise<Uint8Array>
}

/**
 * Bytes that are made when they are read. Parallel readers of one result share the work, so it runs outside of any
 * request.
 */
export interface CachedBytes {
  read(key: string, making: Making): Promise<Uint8Array>
}

export function createCachedBytes({ maxBytes, atOnce, waiting }: CachedBytesOptions): CachedBytes {
  const semaphore = createKeyedSemaphore(waiting)
  const cache = new LRUCache<string, Uint8Array, Making>({
    maxSize: maxBytes,
    sizeCalculation: (bytes) => Math.max(1, bytes.byteLength),
    fetchMethod: (_key, _stale, { context: { account, make } }) =>
      semaphore.run(account, atOnce, () => runForAll(make)),
  })
  return { read: (key, context) => cache.forceFetch(key, { context }) }
}
