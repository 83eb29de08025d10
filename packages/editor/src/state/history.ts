import type { DesignDocument } from '@platen/drawing'

/** A state of the document. Documents share what has not changed, so steps need little memory. */
export interface Step {
  document: DesignDocument
  selection: readonly string[]
  printAreaId: string
}

/** One change that undo takes back. */
export interface Change {
  before: Step
  after: Step
}

/**
 * Merges two changes of a document. Where they exclude each other, `mine` stays. Returns `mine` if the other change adds
 * nothing.
 */
export type Merge = (base: DesignDocument, mine: DesignDocument, theirs: DesignDocument) => DesignDocument

export interface History {
  past: readonly Change[]
  future: readonly Change[]
  /** Changes with the same key and without another change in between are one step, such as the letters of a word. */
  mergeKey: string | undefined
  /** How steps are brought together with changes from elsewhere. Undefined as long as there are none. */
  merge: Merge | undefined
}

export const EMPTY_HISTORY: History = { past: [], future: [], mergeKey: undefined, merge: undefined }

export function record(history: History, change: Change, mergeKey: string | undefined): History {
  const last = history.past.at(-1)
  // A change from elsewhere in between stays outside of both steps, or undo would take it back.
  const isSameStep =
    mergeKey !== undefined && mergeKey === history.mergeKey && last?.after.document === change.before.document
  const past = isSameStep
    ? [...history.past.slice(0, -1), { before: last.before, after: change.after }]
    : [...history.past, change]
  return { ...history, past, future: [], mergeKey }
}

/** Ends a step, so that the next change with the same key is a step of its own. */
export function endStep(history: History): History {
  return history.mergeKey === undefined ? history : { ...history, mergeKey: undefined }
}

/**
 * Notes that a document with changes from elsewhere has taken the place of the present one. Undo and redo leave these
 * changes: what both sides have changed stays as it is.
 */
export function rebase(history: History, present: DesignDocument, merge: Merge): History {
  return withoutVoidSteps({ ...history, merge }, present)
}

export interface Travelled {
  history: History
  step: Step
}

export function goBack(history: History, present: Step): Travelled | undefined {
  const change = history.past.at(-1)
  if (change === undefined) return undefined
  const step = { ...change.before, document: undone(history, change, present.document) }
  const past = history.past.slice(0, -1)
  // Redo leads back to exactly the present, with what came from elsewhere.
  const future = [...history.future, { before: step, after: present }]
  return travelled({ ...history, past, future, mergeKey: undefined }, step)
}

export function goForward(history: History, present: Step): Travelled | undefined {
  const change = history.future.at(-1)
  if (change === undefined) return undefined
  const step = { ...change.after, document: redone(history, change, present.document) }
  const past = [...history.past, { before: present, after: step }]
  return travelled({ ...history, past, future: history.future.slice(0, -1), mergeKey: undefined }, step)
}

function travelled(history: History, step: Step): Travelled {
  return { history: withoutVoidSteps(history, step.document), step }
}

/** Returns the present document without a change. */
function undone({ merge }: History, { before, after }: Change, present: DesignDocument): DesignDocument {
  if (present === after.document || merge === undefined) return before.document
  return merge(after.document, present, before.document)
}

function redone({ merge }: History, { before, after }: Change, present: DesignDocument): DesignDocument {
  if (present === before.document || merge === undefined) return after.document
  return merge(before.document, present, after.document)
}

/** Drops the next steps of undo and redo that would change nothing, because the other side has changed the same. */
function withoutVoidSteps(history: History, present: DesignDocument): History {
  const past = withoutLast(history.past, (change) => undone(history, change, present) === present)
  const future = withoutLast(history.future, (change) => redone(history, change, present) === present)
  return { ...history, past, future }
}

function withoutLast(changes: readonly Change[], isVoid: (change: Change) => boolean): readonly Change[] {
  let count = changes.length
  for (let last = changes.at(-1); last !== undefined && isVoid(last); last = changes[count - 1]) count -= 1
  return count === changes.length ? changes : changes.slice(0, count)
}
