import type { Point } from '@platen/drawing'
import type { EditorMessage } from '../messages.ts'
import type { EditorState } from '../state/editor-state.ts'
import type { EditorHost } from '../state/host.ts'
import type { PanelView } from '../state/panel-view.ts'
import type { EditorServices } from '../state/use-editor.ts'
import type { LayerClipboard } from './clipboard.ts'

/** What actions work with. */
export interface ActionServices extends EditorServices {
  host: EditorHost
  view: PanelView
  clipboard: LayerClipboard
  placeFiles(files: readonly File[], pointMm?: Point): void
}

export type ActionGroup = 'editing' | 'arranging' | 'layers' | 'inserting' | 'viewing'

export interface Action<Id extends string = string> {
  id: Id
  group: ActionGroup
  label: EditorMessage
  /** Such as `Mod+Shift+Z`, where `Mod` is the command key on Apple devices, and the control key elsewhere. */
  shortcuts?: readonly string[]
  /** The keys belong to lists, sliders and tabs that have the focus. */
  isForStage?: boolean
  isEnabled(state: EditorState): boolean
  run(services: ActionServices): void
}

export function isEditable({ isEditable }: EditorState): boolean {
  return isEditable
}

export function hasSelection({ isEditable, selection }: EditorState): boolean {
  return isEditable && selection.length > 0
}
