import { createStore, del, delMany, get, keys, promisifyRequest, type UseStore } from 'idb-keyval'
import { combineEntries } from './combine-entries.ts'
import type { Journal, JournalEntry } from './journal-entry.ts'
import { createTabLocks } from './tab-locks.ts'

export interface JournalOptions {
  serviceUrl: string
  /** Owner of the design. Other customers of the same browser do not get the changes. */
  customerId: string
  designId: string
  /** The shortest time between two writes. A change after a pause is stored at once. */
  writeMs?: number | undefined
  /** How long the opening of an editor waits for the browser. */
  readMs?: number | undefined
  /** How long to wait for the end of a tab: a page that is loaded again begins before the browser has ended the old one. */
  leavingMs?: number | undefined
  /** When old entries are removed: not soon, because a write that waits for another is lost if the page is left. */
  pruneMs?: number | undefined
  now?: (() => number) | undefined
}

/** URL of the service, customer, design and tab. */
type Key = string[]

/** What editors of the same design have left that have ended. */
interface Ended {
  keys: Key[]
  entries: JournalEntry[]
}

const LONGEST_AGE_MS = 30 * 86_400_000
const MOST_ENTRIES = 20

/**
 * Opens the journal of one design in IndexedDB. In a browser that offers no storage, or no more of it, it stores
 * nothing, and `isKeeping` says so. No function fails.
 */
export function openJournal(options: JournalOptions): Journal {
  const { customerId, designId, now = Date.now } = options
  const { writeMs = 250, readMs = 2_000, leavingMs = 500, pruneMs = 10_000 } = options
  const prefix = [new URL(options.serviceUrl).origin, customerId, designId] as const
  const own: Key = [...prefix, crypto.randomUUID()]
  const locks = createTabLocks()
  const database = openDatabase()
  let taken: Key[] = []
  let pending: JournalEntry | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let pruneTimer: ReturnType<typeof setTimeout> | undefined
  let writtenAt = Number.NEGATIVE_INFINITY
  let lastWrite: Promise<void> = Promise.resolve()
  let isStored = false
  let isKeeping = false

  /**
   * Begins at once, because a page that is left gets no later turn. IndexedDB does the writes in the order in which
   * they begin.
   */
  const write = (work: (store: UseStore) => Promise<void>): Promise<void> => {
    if (database === undefined) return lastWrite
    lastWrite = Promise.all([lastWrite, work(database)]).then(
      () => undefined,
      () => {
        isKeeping = false
      },
    )
    return lastWrite
  }
  const stopTimer = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const writeNow = (): Promise<void> => {
    stopTimer()
    const entry = pending
    pending = undefined
    if (entry === undefined) return lastWrite
    isStored = true
    writtenAt = performance.now()
    return write(async (store) => {
      await put(store, own, entry)
      isKeeping = true
      await removeTaken(store)
    })
  }
  /** Removes entries of ended tabs, whose changes are now saved or in the own entry. */
  const removeTaken = async (store: UseStore): Promise<void> => {
    if (taken.length === 0) return
    await delMany(taken, store)
    taken = []
  }
  const readEnded = async (store: UseStore): Promise<Ended> => {
    const all = (await keys(store)).filter((key): key is Key => isOf(key, prefix) && key[3] !== own[3])
    const ended: Ended = { keys: [], entries: [] }
    for (const key of all) {
      if (!(await locks.take(lockName(key), leavingMs))) continue
      // The check needs the schema of the document, which few openings of an editor need.
      const { validEntry } = await import('./valid-entry.ts')
      const entry = validEntry(await get(key, store))
      ended.keys.push(key)
      if (entry !== undefined && entry.at > now() - LONGEST_AGE_MS) ended.entries.push(entry)
    }
    return ended
  }

  return {
    async takeOver() {
      if (database === undefined) return undefined
      void locks.take(lockName(own), leavingMs)
      const read = readEnded(database).catch(() => undefined)
      pruneTimer = setTimeout(() => void write((store) => prune(store, own, now())), pruneMs)
      const ended = await Promise.race([read, after(readMs)])
      if (ended === undefined) return undefined
      // Entries that arrive too late stay for the next editor.
      taken = ended.keys
      if (ended.entries.length === 0) void write(removeTaken)
      return combineEntries(ended.entries.sort((one, other) => one.at - other.at))
    },
    keep(entry) {
      pending = entry
      if (timer !== undefined) return
      // The browser can end a page that is left before it has done what the page wants to write then.
      const wait = writtenAt + writeMs - performance.now()
      if (wait <= 0) void writeNow()
      else timer = setTimeout(() => void writeNow(), wait)
    },
    writeNow,
    clear() {
      stopTimer()
      pending = undefined
      if (!isStored && taken.length === 0) return
      isStored = false
      void write(async (store) => {
        await del(own, store)
        await removeTaken(store)
      })
    },
    isKeeping: () => isKeeping,
    async close() {
      clearTimeout(pruneTimer)
      await writeNow()
      locks.release()
    },
  }
}

/** Commits at once: a page that is left has no time for the commit that the browser makes by itself. */
function put(store: UseStore, key: Key, entry: JournalEntry): Promise<void> {
  return store('readwrite', (entries) => {
    entries.put(entry, key)
    entries.transaction.commit()
    return promisifyRequest(entries.transaction)
  })
}

const lockName = (key: Key): string => `platen-editor ${key.join(' ')}`

function openDatabase(): UseStore | undefined {
  try {
    return createStore('platen-editor', 'journal')
  } catch {
    return undefined
  }
}

const after = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), ms))

function isOf(key: IDBValidKey, prefix: readonly string[]): key is Key {
  return Array.isArray(key) && key.length === prefix.length + 1 && prefix.every((part, index) => key[index] === part)
}

/** Removes old entries, and the oldest ones if there are too many. Reads one at a time, because they can be large. */
async function prune(store: UseStore, own: Key, now: number): Promise<void> {
  const found: { key: IDBValidKey; at: number }[] = []
  await store('readonly', async (entries) => {
    const request = entries.openCursor()
    await new Promise<void>((resolve, reject) => {
      request.onerror = () => reject(request.error)
      request.onsuccess = () => {
        const cursor = request.result
        if (cursor === null) return resolve()
        found.push({ key: cursor.key, at: atOf(cursor.value) })
        cursor.continue()
      }
    })
  })
  const isOwn = (key: IDBValidKey): boolean => Array.isArray(key) && key[3] === own[3]
  const newestFirst = found.filter(({ key }) => !isOwn(key)).sort((one, other) => other.at - one.at)
  const surplus = newestFirst.filter(({ at }, index) => at < now - LONGEST_AGE_MS || index >= MOST_ENTRIES)
  if (surplus.length > 0)
    await delMany(
      surplus.map(({ key }) => key),
      store,
    )
}

function atOf(value: unknown): number {
  const at = (value as { at?: unknown } | null | undefined)?.at
  return typeof at === 'number' ? at : 0
}
