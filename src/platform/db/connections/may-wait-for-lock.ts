import { LRUCache } from 'lru-cache'

/** A read may begin with a comment, such as that of statements that are planned each time. */
const READS = /^\s*(?:\/\*.*?\*\/\s*)*(?:select|with|values|show)\b/is

/** Matches words at any place of a statement that show that it takes locks of rows, tables or transactions. */
const LOCKS =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|for\s+(?:key\s+)?share)\b|pg_(?:try_)?advisory|graphile_worker\./i

const known = new LRUCache<string, boolean>({ max: 1_000 })

/** Tells whether a statement may wait for another transaction. A statement that begins a transaction counts as well. */
export function mayWaitForLock(text: string): boolean {
  const answer = known.get(text)
  if (answer !== undefined) return answer
  const may = !READS.test(text) || LOCKS.test(text)
  known.set(text, may)
  return may
}
