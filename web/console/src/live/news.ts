import { useSyncExternalStore } from 'react'

/** More than that is "many". */
const MOST = 500

/** Records that a table has not read yet, by id. A table says how many it lacks, and does not jump. */
export interface News<Record extends { id: string }> {
  note(record: Record): void
  forget(): void
  use(): ReadonlyMap<string, Record>
}

export function createNews<Record extends { id: string }>(): News<Record> {
  let news: ReadonlyMap<string, Record> = new Map()
  const listeners = new Set<() => void>()
  const set = (next: ReadonlyMap<string, Record>): void => {
    news = next
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    note: (record) => {
      if (news.size < MOST || news.has(record.id)) set(new Map(news).set(record.id, record))
    },
    forget: () => {
      if (news.size > 0) set(new Map())
    },
    use: () => useSyncExternalStore(subscribe, () => news),
  }
}
