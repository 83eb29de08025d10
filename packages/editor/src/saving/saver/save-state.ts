import type { SaveState } from '../../state/editor-state.ts'
import type { SaveProblem } from '../saving-types.ts'

export interface Progress {
  problem: SaveProblem | undefined
  isDirty: boolean
  isSaving: boolean
}

/** Returns what the editor shows. A problem stays until a save succeeds, so that attempts do not make the text flicker. */
export function saveStateOf({ problem, isDirty, isSaving }: Progress): SaveState {
  switch (problem?.behaviour) {
    case 'retry':
      return { kind: 'offline' }
    case 'sign_in':
      return { kind: 'signed_out' }
    case 'change':
    case 'stop': {
      const { code, detail, pointer } = problem
      return { kind: 'refused', code, detail, ...(pointer === undefined ? {} : { pointer }) }
    }
    default:
      if (isSaving) return { kind: 'saving' }
      return { kind: isDirty ? 'unsaved' : 'saved' }
  }
}
