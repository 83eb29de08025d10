import { EmptyState, Slider, ToolBar } from '@platen/ui'
import { describeLayers } from '../../actions/index.ts'
import type { EditorLayer } from '../../document/layers.ts'
import { useEditor } from '../../state/use-editor.ts'
import { ActionButton } from '../bars/action-button.tsx'
import { ArrangeSection } from './arrange-section.tsx'
import { ImageSection } from './image-section.tsx'
import { PlacementSection } from './placement-section.tsx'
import { QrSection } from './qr-section.tsx'
import { sharedValue, useLayerEdit, useSelectedLayers } from './selection.ts'
import { ShapeSection } from './shape-section.tsx'
import { TextSection } from './text-section.tsx'

/** The properties of the selected layers. Layers of different types share placement and opacity. */
export function PropertiesPanel() {
  const { text } = useEditor()
  const layers = useSelectedLayers()
  if (layers.length === 0) {
    return (
      <EmptyState icon="settings" title={text('nothingSelected')} level={3}>
        {text('nothingSelectedHint')}
      </EmptyState>
    )
  }
  return (
    <div className="pe-properties">
      <p className="pe-selection-name" dir="auto">
        {describeLayers(layers, text)}
      </p>
      <ToolBar aria-label={text('selectionTools')}>
        <ActionButton action="duplicate" icon="copy" />
        <ActionButton action="delete" icon="trash" />
        <ActionButton action="lock" icon="lock" />
        <ActionButton action="hide" icon="eye-off" />
        {layers.some(({ group }) => group !== undefined) ? (
          <ActionButton action="ungroup" icon="ungroup" />
        ) : (
          <ActionButton action="group" icon="group" />
        )}
      </ToolBar>
      <TypeSection layers={layers} />
      <PlacementSection layers={layers} />
      <OpacitySection layers={layers} />
      <ArrangeSection />
    </div>
  )
}

function TypeSection({ layers }: { layers: readonly EditorLayer[] }) {
  // The key resets drafts of fields when another layer is selected.
  const key = layers.map(({ id }) => id).join(' ')
  const texts = layers.filter((layer) => layer.type === 'text')
  if (texts.length === layers.length) return <TextSection key={key} layers={texts} />
  const images = layers.filter((layer) => layer.type === 'image')
  if (images.length === layers.length) return <ImageSection key={key} layers={images} />
  const shapes = layers.filter((layer) => layer.type === 'shape')
  if (shapes.length === layers.length) return <ShapeSection key={key} layers={shapes} />
  const codes = layers.filter((layer) => layer.type === 'qr')
  if (codes.length === layers.length) return <QrSection key={key} layers={codes} />
  return null
}

function OpacitySection({ layers }: { layers: readonly EditorLayer[] }) {
  const { text } = useEditor()
  const edit = useLayerEdit(layers, 'style')
  const opacity = sharedValue(layers, (layer) => layer.opacity)
  return (
    <div className="pe-section">
      <Slider
        label={opacity === undefined ? text('opacityMixed') : text('opacity')}
        value={opacity ?? layers[0]?.opacity ?? 1}
        minValue={0}
        maxValue={1}
        step={0.01}
        formatOptions={{ style: 'percent' }}
        isDisabled={edit.isDisabled}
        onChange={(value) => edit.change('opacity', (layer) => withOpacity(layer, value))}
        onChangeEnd={edit.end}
      />
    </div>
  )
}

/** A layer whose opacity is set is no longer a hidden one. */
function withOpacity(layer: EditorLayer, opacity: number): EditorLayer {
  const { hiddenOpacity: _, ...shown } = layer
  return { ...shown, opacity } as EditorLayer
}
