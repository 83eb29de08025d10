import { listPlaceholders } from '@platen/drawing'
import { Icon, type IconName, ToggleButton } from '@platen/ui'
import { useMemo } from 'react'
import type { EditorMessage } from '../../messages.ts'
import type { PanelId } from '../../state/panel-view.ts'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { usePanels, usePanelView } from '../services/use-panels.ts'

export const PANELS: Readonly<Record<PanelId, { label: EditorMessage; icon: IconName }>> = {
  properties: { label: 'properties', icon: 'settings' },
  layers: { label: 'layers', icon: 'layers' },
  images: { label: 'images', icon: 'image' },
  placeholders: { label: 'placeholders', icon: 'edit' },
  preflight: { label: 'preflight', icon: 'check' },
}

/** Buttons that open and close the panels. The form of placeholders appears with the first placeholder. */
export function PanelTabs() {
  const { text } = useEditor()
  const { view } = usePanels()
  const { panel } = usePanelView()
  const document = useEditorState((state) => state.document)
  const hasPlaceholders = useMemo(() => listPlaceholders(document).length > 0, [document])
  const shown = (Object.keys(PANELS) as PanelId[]).filter((id) => id !== 'placeholders' || hasPlaceholders)
  return (
    <nav className="pe-panel-tabs" part="panel-tabs" aria-label={text('panels')} data-pe-own-keys>
      {shown.map((id) => (
        <ToggleButton
          key={id}
          className="pe-panel-tab"
          isSelected={panel === id}
          onChange={(isSelected) => view.show(isSelected ? id : undefined)}
        >
          <Icon name={PANELS[id].icon} />
          <span className="pe-tab-label">{text(PANELS[id].label)}</span>
        </ToggleButton>
      ))}
    </nav>
  )
}
