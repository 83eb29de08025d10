import { createStore, type UseStore } from 'idb-keyval'
import { combineEntries } from './combine-entries.ts'
import { deleteEntries, type EntryKey, findEntries, getEntry, pruneEntries, putEntry } from './entry-store.ts'
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
  /** How long it waits for the check of entries, which is downloaded when it is needed. */
  downloadMs?: number | undefined
  /** How long to wait for the end of a tab: a page that is loaded again begins before the browser has ended the old one. */
  leavingMs?: number | undefined
  /** When old entries are removed: not soon, because a write that waits for another is lost if the page is left. */
  pruneMs?: number | undefined
  now?: (() => number) | undefined
}

const LONGEST_AGE_MS = 30 * 86_400_000
const MOST_ENTRIES = 20

/**
 * Opens the journal of one design in IndexedDB. In a browser that offers no storage, or no more of it, it stores
 * nothing, and `isKeeping` says so. No function fails but `prepareReading`.
 */
export function openJournal(options: JournalOptions): Journal {
  const { customerId, designId, now = Date.now } = options
  const { writeMs = 250, readMs = 2_000, downloadMs = 10_000, leavingMs = 500, pruneMs = 10_000 } = options
  const prefix = [new URL(options.serviceUrl).origin, customerId, designId] as const
  const own: EntryKey = [...prefix, crypto.randomUUID()]
  const locks = createTabLocks()
  const database = openDatabase()
  let taken: EntryKey[] = []
  let pending: JournalEntry | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let pruneTimer: ReturnType<typeof setTimeout> | undefined
  let writtenAt = Number.NEGATIVE_INFINITY
  let lastWrite: Promise<void> = Promise.resolve()
  let isStored = false
  /** What is stored for certain. Undefined while something is being stored or removed. */
  let stored: JournalEntry | undefined
  let changes = 0
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
  const beginChange = (): number => {
    stored = undefined
    changes += 1
    return changes
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
    const known = stored
    const change = beginChange()
    return write(async (store) => {
      await putEntry(store, own, entry, known)
      isKeeping = true
      if (change === changes) stored = entry
      await removeTaken(store)
    })
  }
  /** Removes entries of ended tabs, whose changes are now saved or in the own entry. */
  const removeTaken = async (store: UseStore): Promise<void> => {
    if (taken.length === 0) return
    await deleteEntries(store, taken)
    taken = []
  }
  /** Returns the keys of what editors of the same design have left that have ended. */
  const findEnded = async (store: UseStore): Promise<EntryKey[]> => {
    const all = (await findEntries(store, prefix)).filter((key) => key[3] !== own[3])
    if (all.length === 0) return []
    // Begins while the locks are awaited. A failure is noticed where the check is used.
    loadCheck().catch(() => undefined)
    const isEnded = await Promise.all(all.map((key) => locks.take(lockName(key), leavingMs)))
    return all.filter((_, index) => isEnded[index])
  }
  /** Returns the valid entries, oldest first. */
  const readEntries = async (store: UseStore, keys: readonly EntryKey[], check: EntryCheck) => {
    const entries: JournalEntry[] = []
    for (const key of keys) {
      const entry = check.validEntry(await getEntry(store, key))
      if (entry !== undefined && entry.at > now() - LONGEST_AGE_MS) entries.push(entry)
    }
    return entries.sort((one, other) => one.at - other.at)
  }
  const prune = (store: UseStore): Promise<void> =>
    pruneEntries(store, { own, oldest: now() - LONGEST_AGE_MS, mostEntries: MOST_ENTRIES })

  return {
    async takeOver() {
      if (database === undefined) return undefined
      void locks.take(lockName(own), leavingMs)
      const finding = findEnded(database)
      pruneTimer = setTimeout(() => void write(prune), pruneMs)
      const ended = await inTime(finding, readMs)
      if (ended === undefined || ended.length === 0) return undefined
      const check = await inTime(loadCheck(), downloadMs)
      const entries = check && (await inTime(readEntries(database, ended, check), readMs))
      if (entries === undefined) return 'unread'
      taken = ended
      if (entries.length === 0) void write(removeTaken)
      return combineEntries(entries)
    },
    async prepareReading() {
      await loadCheck()
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
      beginChange()
      void write(async (store) => {
        await deleteEntries(store, [own])
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

const lockName = (key: EntryKey): string => `platen-editor ${key.join(' ')}`

function openDatabase(): UseStore | undefined {
  try {
    return createStore('platen-editor', 'journal')
  } catch {
    return undefined
  }
}

type EntryCheck = typeof import('./valid-entry.ts')

/** Loads the check of entries. It needs the schema of the document, which few openings of an editor need. */
const loadCheck = (): Promise<EntryCheck> => import('./valid-entry.ts')

/** Returns undefined if the work fails or takes longer. */
function inTime<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms))
  return Promise.race([work.catch(() => undefined), late])
}
