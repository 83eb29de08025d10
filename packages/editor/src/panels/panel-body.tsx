import { IconButton } from '@platen/ui'
import { useId } from 'react'
import { useEditor } from '../state/use-editor.ts'
import { PANELS } from './bars/panel-tabs.tsx'
import { ImageLibrary } from './images/image-library.tsx'
import { LayersPanel } from './layers/layers-panel.tsx'
import { TemplateForm } from './placeholders/template-form.tsx'
import { PreflightPanel } from './preflight/preflight-panel.tsx'
import { PropertiesPanel } from './properties/properties-panel.tsx'
import { usePanels, usePanelView } from './services/use-panels.ts'

const BODIES = {
  layers: LayersPanel,
  properties: PropertiesPanel,
  images: ImageLibrary,
  preflight: PreflightPanel,
  placeholders: TemplateForm,
} as const

/** The open panel. On phones it covers the lower part of the stage. */
export function PanelBody() {
  const { text } = useEditor()
  const { view } = usePanels()
  const { panel } = usePanelView()
  const headingId = useId()
  if (panel === undefined) return null
  const Body = BODIES[panel]
  return (
    <section className="pe-panel" part="panel" aria-labelledby={headingId} data-pe-own-keys>
      <div className="pe-panel-head">
        <h2 id={headingId}>{text(PANELS[panel].label)}</h2>
        <IconButton icon="close" label={text('closePanel')} onPress={() => view.show(undefined)} />
      </div>
      <div className="pe-panel-content">
        <Body />
      </div>
    </section>
  )
}
