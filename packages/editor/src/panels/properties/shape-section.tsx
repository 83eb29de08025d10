import type { ShapeLayer, Stroke } from '@platen/drawing'
import { Switch } from '@platen/ui'
import type { EditorLayer } from '../../document/layers.ts'
import { useEditor } from '../../state/use-editor.ts'
import { ColorProperty } from './color/color-property.tsx'
import { SelectProperty } from './fields/choice-property.tsx'
import { NumberProperty } from './fields/number-property.tsx'
import { Section } from './fields/section.tsx'
import { sharedValue, useLayerEdit } from './selection.ts'

type Shape = EditorLayer & ShapeLayer
type DashStyle = 'solid' | 'dashed' | 'dotted' | 'own'

const NEW_STROKE: Stroke = { color: '#000000', widthMm: 0.5 }

export function ShapeSection({ layers }: { layers: readonly Shape[] }) {
  const { text } = useEditor()
  const edit = useLayerEdit(layers, 'style')
  const hasFill = sharedValue(layers, ({ fill }) => fill !== undefined)
  const isLine = layers.every(({ shape }) => shape === 'line')
  const isRect = layers.every(({ shape }) => shape === 'rect')
  return (
    <Section title="look" reason={edit.reason}>
      {isLine ? null : (
        <Switch
          className="pe-wide"
          isSelected={hasFill === true}
          isDisabled={edit.isDisabled}
          onChange={(fills) => edit.change('fills', (layer) => withFill(layer, fills ? '#2444C8' : undefined))}
        >
          {text('fill')}
        </Switch>
      )}
      {isLine || hasFill !== true ? null : (
        <ColorProperty
          label="fillColor"
          layers={layers}
          edit={edit}
          get={({ fill = '#000000' }) => fill}
          set={(layer, fill) => ({ ...layer, fill })}
        />
      )}
      <StrokeFields layers={layers} />
      {isRect ? (
        <NumberProperty
          label={text('cornerRadius')}
          layers={layers}
          edit={edit}
          name="cornerRadius"
          unit="millimeter"
          minValue={0}
          maxValue={1_000}
          get={({ cornerRadius = 0 }) => cornerRadius}
          set={(layer, cornerRadius) => ({ ...layer, cornerRadius })}
        />
      ) : null}
    </Section>
  )
}

function StrokeFields({ layers }: { layers: readonly Shape[] }) {
  const { text } = useEditor()
  const edit = useLayerEdit(layers, 'style')
  const hasStroke = sharedValue(layers, ({ stroke }) => stroke !== undefined)
  const styles: DashStyle[] = ['solid', 'dashed', 'dotted']
  if (layers.some((layer) => dashStyleOf(layer) === 'own')) styles.push('own')
  const withStroke = (layer: Shape, change: Partial<Stroke>): Shape => ({
    ...layer,
    stroke: { ...(layer.stroke ?? NEW_STROKE), ...change },
  })
  return (
    <>
      <Switch
        className="pe-wide"
        isSelected={hasStroke === true}
        isDisabled={edit.isDisabled}
        onChange={(strokes) =>
          edit.change('strokes', (layer) => (strokes ? withStroke(layer, {}) : withoutStroke(layer)))
        }
      >
        {text('stroke')}
      </Switch>
      {hasStroke === true ? (
        <>
          <ColorProperty
            label="strokeColor"
            layers={layers}
            edit={edit}
            get={({ stroke = NEW_STROKE }) => stroke.color}
            set={(layer, color) => withStroke(layer, { color })}
          />
          <NumberProperty
            label={text('strokeWidth')}
            layers={layers}
            edit={edit}
            name="strokeWidth"
            unit="millimeter"
            step={0.01}
            minValue={0.01}
            maxValue={100}
            get={({ stroke = NEW_STROKE }) => stroke.widthMm}
            set={(layer, widthMm) => withDashes(withStroke(layer, { widthMm }), dashStyleOf(layer))}
          />
          <SelectProperty
            label="dashes"
            layers={layers}
            edit={edit}
            choices={styles.map((id) => ({ id, text: text(DASH_NAMES[id]) }))}
            get={dashStyleOf}
            set={withDashes}
          />
        </>
      ) : null}
    </>
  )
}

const DASH_NAMES = { solid: 'dashSolid', dashed: 'dashDashed', dotted: 'dashDotted', own: 'dashOwn' } as const

const rounded = (mm: number): number => Math.max(0.01, Math.round(mm * 100) / 100)
const dashesFor = (widthMm: number): number[] => [rounded(widthMm * 4), rounded(widthMm * 3)]
const dotsFor = (widthMm: number): number[] => [rounded(widthMm), rounded(widthMm * 1.5)]

function dashStyleOf({ stroke }: Shape): DashStyle {
  if (stroke?.dashMm === undefined) return 'solid'
  const given = stroke.dashMm.join(' ')
  if (given === dashesFor(stroke.widthMm).join(' ')) return 'dashed'
  return given === dotsFor(stroke.widthMm).join(' ') ? 'dotted' : 'own'
}

/** The lengths of dashes follow the width of the stroke. Lengths that came from elsewhere stay. */
function withDashes(layer: Shape, style: DashStyle): Shape {
  if (layer.stroke === undefined || style === 'own') return layer
  const { dashMm: _, ...stroke } = layer.stroke
  if (style === 'solid') return { ...layer, stroke }
  return { ...layer, stroke: { ...stroke, dashMm: (style === 'dashed' ? dashesFor : dotsFor)(stroke.widthMm) } }
}

function withoutStroke(layer: Shape): Shape {
  const { stroke: _, ...plain } = layer
  return plain
}

function withFill(layer: Shape, fill: string | undefined): Shape {
  if (fill !== undefined) return { ...layer, fill }
  const { fill: _, ...empty } = layer
  return empty
}
