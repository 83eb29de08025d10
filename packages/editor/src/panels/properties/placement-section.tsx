import { DOCUMENT_LIMITS } from '@platen/drawing'
import { Icon, ToggleButton } from '@platen/ui'
import { useState } from 'react'
import { roundMm } from '../../document/geometry/lengths.ts'
import { normalizeDegrees } from '../../document/geometry/transform.ts'
import type { EditorLayer } from '../../document/layers.ts'
import { useEditor } from '../../state/use-editor.ts'
import { NumberProperty } from './fields/number-property.tsx'
import { Section } from './fields/section.tsx'
import { useLayerEdit } from './selection.ts'

const { sizeMm } = DOCUMENT_LIMITS
const SMALLEST_MM = 0.1

export function PlacementSection({ layers }: { layers: readonly EditorLayer[] }) {
  const { text } = useEditor()
  const edit = useLayerEdit(layers, 'move')
  const [keepsRatio, setKeepsRatio] = useState(layers.every(({ type }) => type === 'image' || type === 'qr'))
  const common = { layers, edit, unit: 'millimeter' } as const
  return (
    <Section title="placement" reason={edit.reason}>
      <NumberProperty
        {...common}
        label={text('fromLeft')}
        name="x"
        minValue={-sizeMm}
        maxValue={sizeMm}
        get={({ x }) => x}
        set={(layer, x) => ({ ...layer, x: roundMm(x) })}
      />
      <NumberProperty
        {...common}
        label={text('fromTop')}
        name="y"
        minValue={-sizeMm}
        maxValue={sizeMm}
        get={({ y }) => y}
        set={(layer, y) => ({ ...layer, y: roundMm(y) })}
      />
      <NumberProperty
        {...common}
        label={text('width')}
        name="width"
        minValue={0}
        maxValue={sizeMm}
        get={({ width }) => width}
        set={(layer, width) => resized(layer, 'width', width, keepsRatio)}
      />
      <NumberProperty
        {...common}
        label={text('height')}
        name="height"
        minValue={0}
        maxValue={sizeMm}
        get={({ height }) => height}
        set={(layer, height) => resized(layer, 'height', height, keepsRatio)}
      />
      <NumberProperty
        layers={layers}
        edit={edit}
        unit="degree"
        label={text('rotation')}
        name="rotation"
        minValue={-360}
        maxValue={360}
        get={({ rotation }) => Math.round(rotation * 100) / 100}
        set={(layer, rotation) => ({ ...layer, rotation: normalizeDegrees(rotation) })}
      />
      <ToggleButton className="pe-keep-ratio" isSelected={keepsRatio} onChange={setKeepsRatio}>
        <Icon name="link" />
        {text('keepRatio')}
      </ToggleButton>
    </Section>
  )
}

/** Only lines may have no width or no height. */
function resized(layer: EditorLayer, side: 'width' | 'height', value: number, keepsRatio: boolean): EditorLayer {
  const isLine = layer.type === 'shape' && layer.shape === 'line'
  const other = side === 'width' ? 'height' : 'width'
  const least = isLine && layer[other] > 0 ? 0 : SMALLEST_MM
  const length = roundMm(Math.max(least, value))
  if (!keepsRatio || layer[side] === 0) return { ...layer, [side]: length }
  const proportional = roundMm((layer[other] * length) / layer[side])
  return { ...layer, [side]: length, [other]: Math.min(sizeMm, Math.max(isLine ? 0 : SMALLEST_MM, proportional)) }
}
