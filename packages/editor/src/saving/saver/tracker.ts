import type { EditorStore } from '../../state/editor-store.ts'
import type { JournalEntry } from '../journal/journal-entry.ts'
import { type MergedContent, mergeContents, sameContent } from '../merge/merge-contents.ts'
import type { ConflictChoice, MergeConflict } from '../merge/merge-types.ts'
import { sameValue } from '../merge/same-value.ts'
import type { DesignContent, SavedVersion, SavingNotice } from '../saving-types.ts'
import { mergeSteps } from './merge-steps.ts'
import { contentOf } from './versions.ts'

/** Knows how the content of the store differs from that of the service, and brings both together. */
export interface Tracker {
  content(): DesignContent
  saved(): SavedVersion
  isDirty(): boolean
  conflicts(): readonly MergeConflict[]
  /** Notes a content whose save begins. Its outcome is unknown until `accept` or `refuse`. */
  send(): DesignContent
  accept(version: SavedVersion, sent: DesignContent): void
  /** The service has not saved the content. */
  refuse(sent: DesignContent): void
  /** Contents whose save has begun, and whose outcome is unknown. */
  sent(): readonly DesignContent[]
  /** Merges with another version of the service. If there are conflicts, `decide` ends the merge. */
  take(theirs: SavedVersion, options?: TakeOptions): SavingNotice | undefined
  decide(choices: ReadonlyMap<string, ConflictChoice>): SavingNotice | undefined
  /** Applies changes of an earlier tab. Returns whether the service lacks them. */
  restore(entry: JournalEntry): boolean
  undoRestore(): void
  entry(at: number): JournalEntry
}

export interface TakeOptions {
  /** From which both sides started. The saved content by default. */
  base?: DesignContent | undefined
  /** Whether the customer has asked for this version. Undo then leads back. */
  isStep?: boolean | undefined
}

interface Undecided {
  base: DesignContent
  baseRevision: number
  theirs: SavedVersion
  conflicts: readonly MergeConflict[]
}

const NO_CONFLICTS: readonly MergeConflict[] = []

export function createTracker(store: EditorStore, opened: SavedVersion): Tracker {
  let saved = opened
  let sent: readonly DesignContent[] = []
  let undecided: Undecided | undefined
  let beforeRestore: DesignContent | undefined
  /** Equal to the content of the service, even if the service has changed its form. */
  let settled: DesignContent | undefined

  const content = (): DesignContent => contentOf(store.get())
  const setVersion = (version: SavedVersion): void => {
    saved = version
    sent = []
    undecided = undefined
    settled = undefined
    const { design } = store.get()
    store.set({ design: { ...design, revision: version.revision, status: version.status } })
  }
  const show = ({ name, variantId, document }: DesignContent, isStep: boolean): void => {
    const design = { ...store.get().design, name, variantId }
    if (sameValue(document, content().document)) store.set({ design })
    else store.replaceDocument(document, { patch: { design }, merge: isStep ? undefined : mergeSteps })
  }
  const settle = ({ content: merged, notices, hasKeptOrder }: MergedContent, theirs: SavedVersion, isStep = false) => {
    const hasTaken = !sameContent(merged, content())
    setVersion(theirs)
    if (hasTaken) show(merged, isStep)
    if (!hasTaken && notices.length === 0) return undefined
    return { kind: 'merged', layers: notices, hasKeptOrder } as const
  }
  /** The base of a merge is what the service has, if that is a content of this editor whose response was lost. */
  const baseFor = (theirs: SavedVersion, contents: readonly DesignContent[], base: DesignContent): DesignContent =>
    contents.some((one) => sameContent(one, theirs.content)) ? theirs.content : base

  return {
    content,
    saved: () => saved,
    conflicts: () => undecided?.conflicts ?? NO_CONFLICTS,
    sent: () => sent,
    isDirty() {
      const { name, variantId, document } = content()
      const isSettled = settled?.document === document && settled.name === name && settled.variantId === variantId
      return sent.length > 0 || undecided !== undefined || (!isSettled && !sameContent(content(), saved.content))
    },
    send() {
      const now = content()
      sent = [...sent, now]
      return now
    },
    accept(version, accepted) {
      setVersion(version)
      settled = accepted
    },
    refuse(refused) {
      sent = sent.filter((one) => one !== refused)
    },
    take(theirs, { base = saved.content, isStep } = {}) {
      const start = baseFor(theirs, sent, base)
      const merged = mergeContents(start, content(), theirs.content)
      if (merged.conflicts.length === 0) return settle(merged, theirs, isStep)
      undecided = { base: start, baseRevision: saved.revision, theirs, conflicts: merged.conflicts }
      return undefined
    },
    decide(choices) {
      if (undecided === undefined) return undefined
      const { base, theirs } = undecided
      return settle(mergeContents(base, content(), theirs.content, choices), theirs)
    },
    restore(entry) {
      const base = baseFor(saved, entry.sent, entry.base)
      const merged = mergeContents(base, entry.mine, saved.content)
      const { conflicts } = merged
      if (conflicts.length === 0 && sameContent(merged.content, saved.content)) return false
      beforeRestore = content()
      // During a conflict, the editor shows the own content.
      show(conflicts.length === 0 ? merged.content : entry.mine, true)
      if (conflicts.length > 0) undecided = { base, baseRevision: entry.revision, theirs: saved, conflicts }
      return true
    },
    undoRestore() {
      if (beforeRestore === undefined) return
      if (undecided?.theirs === saved) undecided = undefined
      show(beforeRestore, true)
      beforeRestore = undefined
    },
    entry: (at) => ({
      revision: undecided?.baseRevision ?? saved.revision,
      base: undecided?.base ?? saved.content,
      mine: content(),
      sent,
      at,
    }),
  }
}
