import { delMany, getMany, keys, promisifyRequest, type UseStore } from 'idb-keyval'
import type { JournalEntry } from './journal-entry.ts'

/** URL of the service, customer, design and tab. */
export type EntryKey = string[]

const KEY_LENGTH = 4

/** The parts that seldom change. They have keys of their own, so that a drag does not store them again and again. */
type StoredParts = Pick<JournalEntry, 'base' | 'sent'>

const partKeysOf = (key: EntryKey): [base: EntryKey, sent: EntryKey] => [
  [...key, 'base'],
  [...key, 'sent'],
]

/**
 * Stores an entry in one transaction. Commits at once: a page that is left has no time for the commit that the browser
 * makes by itself.
 *
 * @param stored the parts that are stored under this key for certain. The same objects are not stored again
 */
export function putEntry(
  store: UseStore,
  key: EntryKey,
  { base, sent, ...changing }: JournalEntry,
  stored: StoredParts | undefined,
): Promise<void> {
  const [baseKey, sentKey] = partKeysOf(key)
  return store('readwrite', (entries) => {
    entries.put(changing, key)
    if (base !== stored?.base) entries.put(base, baseKey)
    if (sent !== stored?.sent) entries.put(sent, sentKey)
    entries.transaction.commit()
    return promisifyRequest(entries.transaction)
  })
}

/** Reads what is stored as an entry. A former release stored all parts under one key. */
export async function getEntry(store: UseStore, key: EntryKey): Promise<unknown> {
  const [value, base, sent] = await getMany<unknown>([key, ...partKeysOf(key)], store)
  const isDivided = typeof value === 'object' && value !== null && !('base' in value)
  return isDivided ? { ...value, base, sent } : value
}

export function deleteEntries(store: UseStore, entryKeys: readonly EntryKey[]): Promise<void> {
  return delMany(
    entryKeys.flatMap((key) => [key, ...partKeysOf(key)]),
    store,
  )
}

/** Returns the keys of the entries whose keys begin with a prefix. */
export async function findEntries(store: UseStore, prefix: readonly string[]): Promise<EntryKey[]> {
  const all = await keys<IDBValidKey>(store)
  return all.filter(
    (key): key is EntryKey =>
      Array.isArray(key) && key.length === KEY_LENGTH && prefix.every((part, index) => key[index] === part),
  )
}

export interface PruneLimits {
  own: EntryKey
  /** Entries before this time are removed, in milliseconds since 1970. */
  oldest: number
  mostEntries: number
}

/** Removes old entries, and the oldest ones if there are too many. Reads one at a time, because they can be large. */
export async function pruneEntries(store: UseStore, { own, oldest, mostEntries }: PruneLimits): Promise<void> {
  /** By the key of the entry as JSON. A part without its entry counts as old. */
  const found = new Map<string, { keys: IDBValidKey[]; at: number }>()
  await store('readonly', async (entries) => {
    const request = entries.openCursor()
    await new Promise<void>((resolve, reject) => {
      request.onerror = () => reject(request.error)
      request.onsuccess = () => {
        const cursor = request.result
        if (cursor === null) return resolve()
        const id = JSON.stringify(Array.isArray(cursor.key) ? cursor.key.slice(0, KEY_LENGTH) : cursor.key)
        const { keys: others = [], at = 0 } = found.get(id) ?? {}
        found.set(id, { keys: [...others, cursor.key], at: Math.max(at, atOf(cursor.value)) })
        cursor.continue()
      }
    })
  })
  found.delete(JSON.stringify(own))
  const newestFirst = [...found.values()].sort((one, other) => other.at - one.at)
  const surplus = newestFirst.filter(({ at }, index) => at < oldest || index >= mostEntries)
  if (surplus.length > 0)
    await delMany(
      surplus.flatMap((entry) => entry.keys),
      store,
    )
}

function atOf(value: unknown): number {
  const at = (value as { at?: unknown } | null | undefined)?.at
  return typeof at === 'number' ? at : 0
}
