import type { EditorStore } from '../../state/editor-store.ts'
import { sameValue } from '../merge/same-value.ts'
import type { SaveProblem, SavingNotice, SavingState } from '../saving-types.ts'
import { saveStateOf } from './save-state.ts'
import type { Tracker } from './tracker.ts'

/** Holds the state of saving for views, and that of the editor with it. */
export interface StateHolder {
  get(): SavingState
  subscribe(listener: () => void): () => void
  /** Changes the state, and brings it up to date with the tracker. */
  publish(patch?: Partial<SavingState>): void
  notify(notice: SavingNotice | undefined): void
  setRunning(isRunning: boolean): void
  /** Whether an attempt must wait for something other than a pause of the customer. */
  isHeld(): boolean
}

export interface StateHolderDeps {
  store: EditorStore
  tracker: Tracker
  onProblem: ((problem: SaveProblem) => void) | undefined
}

export function createStateHolder({ store, tracker, onProblem }: StateHolderDeps): StateHolder {
  const listeners = new Set<() => void>()
  let state: SavingState = { problem: undefined, conflicts: [], notices: [], savedAt: undefined }
  let isRunning = false

  const publish: StateHolder['publish'] = (patch = {}) => {
    const before = state
    const conflicts = tracker.conflicts()
    const next = { ...before, conflicts, ...patch }
    const { problem } = next
    if (!sameMembers(next, before)) {
      state = next
      for (const listener of [...listeners]) listener()
    }
    const save = saveStateOf({ problem, isDirty: tracker.isDirty(), isSaving: isRunning && conflicts.length === 0 })
    if (!sameValue(save, store.get().save)) store.set({ save })
    if (problem !== undefined && problem.code !== before.problem?.code) onProblem?.(problem)
  }
  return {
    get: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    publish,
    notify(notice) {
      if (notice !== undefined) publish({ notices: [...state.notices, notice] })
    },
    setRunning(now) {
      isRunning = now
      publish()
    },
    isHeld() {
      const behaviour = state.problem?.behaviour
      return tracker.conflicts().length > 0 || (behaviour !== undefined && behaviour !== 'warn')
    },
  }
}

function sameMembers(one: SavingState, other: SavingState): boolean {
  return (
    one.problem === other.problem &&
    one.conflicts === other.conflicts &&
    one.notices === other.notices &&
    one.savedAt === other.savedAt
  )
}
