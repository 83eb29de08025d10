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
  /** How long to wait for the end of a tab: a page that is loaded again begins before the browser has ended the old one. */
  leavingMs?: number | undefined
  /** When old entries are removed: not soon, because a write that waits for another is lost if the page is left. */
  pruneMs?: number | undefined
  now?: (() => number) | undefined
}

/** What editors of the same design have left that have ended. */
interface Ended {
  keys: EntryKey[]
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
  const readEnded = async (store: UseStore): Promise<Ended> => {
    const all = (await findEntries(store, prefix)).filter((key) => key[3] !== own[3])
    const ended: Ended = { keys: [], entries: [] }
    for (const key of all) {
      if (!(await locks.take(lockName(key), leavingMs))) continue
      // The check needs the schema of the document, which few openings of an editor need.
      const { validEntry } = await import('./valid-entry.ts')
      const entry = validEntry(await getEntry(store, key))
      ended.keys.push(key)
      if (entry !== undefined && entry.at > now() - LONGEST_AGE_MS) ended.entries.push(entry)
    }
    return ended
  }
  const prune = (store: UseStore): Promise<void> =>
    pruneEntries(store, { own, oldest: now() - LONGEST_AGE_MS, mostEntries: MOST_ENTRIES })

  return {
    async takeOver() {
      if (database === undefined) return undefined
      void locks.take(lockName(own), leavingMs)
      const read = readEnded(database).catch(() => undefined)
      pruneTimer = setTimeout(() => void write(prune), pruneMs)
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

const after = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), ms))
