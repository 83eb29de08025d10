import { mergeContents } from '../merge/merge-contents.ts'
import type { JournalEntry } from './journal-entry.ts'

/**
 * Combines the changes of several tabs that have ended. Where they exclude each other, the newest stays.
 *
 * @param entries oldest first
 */
export function combineEntries(entries: readonly JournalEntry[]): JournalEntry | undefined {
  const [first, ...others] = entries
  if (first === undefined) return undefined
  return others.reduce((older, newer) => {
    const [early, late] = older.revision <= newer.revision ? [older, newer] : [newer, older]
    // The changes to the earlier version, as changes to the later one.
    const { content: rebased } = mergeContents(early.base, early.mine, late.base)
    const [mine, theirs] = late === newer ? [late.mine, rebased] : [rebased, late.mine]
    const { content } = mergeContents(late.base, mine, theirs)
    return { ...late, mine: content, sent: [...older.sent, ...newer.sent], at: newer.at }
  }, first)
}
