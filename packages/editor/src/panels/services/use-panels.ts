import { createContext, useContext, useSyncExternalStore } from 'react'
import type { ActionId } from '../../actions/index.ts'
import type { PanelEngine } from '../../state/host.ts'
import type { ShownPanels } from '../../state/panel-view.ts'
import { useEditorState } from '../../state/use-editor.ts'
import { useValue } from '../../state/value-store.ts'
import type { Panels } from './create-panels.ts'

export const PanelsContext = createContext<Panels | undefined>(undefined)

export function usePanels(): Panels {
  const panels = useContext(PanelsContext)
  if (panels === undefined) throw new Error('This component must be inside the panels of an editor')
  return panels
}

export function usePanelView(): ShownPanels {
  return useValue(usePanels().view)
}

/** Returns whether an action can run now, and how to run it. */
export function useAction(id: ActionId): { isEnabled: boolean; run(): void; shortcut: string | undefined } {
  const { actions } = usePanels()
  const isEnabled = useEditorState(() => actions.isEnabled(id))
  return { isEnabled, run: () => actions.run(id), shortcut: actions.shortcutText(id) }
}

/** Returns the engine as soon as it is loaded. */
export function useEngine(): PanelEngine | undefined {
  const { host } = usePanels()
  return useSyncExternalStore(host.onEngine, host.engine)
}
