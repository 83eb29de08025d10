import type { DesignDocument } from '@platen/drawing'

/** One state of the document that undo can return to. Documents share what has not changed, so steps need little memory. */
export interface Step {
  document: DesignDocument
  selection: readonly string[]
  printAreaId: string
}

export interface History {
  past: readonly Step[]
  future: readonly Step[]
  /** Changes with the same key and without another change in between are one step, such as the letters of a word. */
  mergeKey: string | undefined
}

export const EMPTY_HISTORY: History = { past: [], future: [], mergeKey: undefined }

/** Remembers the state before a change. */
export function record(history: History, before: Step, mergeKey: string | undefined): History {
  const isSameStep = mergeKey !== undefined && mergeKey === history.mergeKey
  return { past: isSameStep ? history.past : [...history.past, before], future: [], mergeKey }
}

/** Ends a step, so that the next change with the same key is a step of its own. */
export function endStep(history: History): History {
  return history.mergeKey === undefined ? history : { ...history, mergeKey: undefined }
}

export interface Travelled {
  history: History
  step: Step
}

export function goBack({ past, future }: History, present: Step): Travelled | undefined {
  const step = past.at(-1)
  if (step === undefined) return undefined
  return { step, history: { past: past.slice(0, -1), future: [...future, present], mergeKey: undefined } }
}

export function goForward({ past, future }: History, present: Step): Travelled | undefined {
  const step = future.at(-1)
  if (step === undefined) return undefined
  return { step, history: { past: [...past, present], future: future.slice(0, -1), mergeKey: undefined } }
}
