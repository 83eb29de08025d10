import { NumberField } from '@platen/ui'
import type { EditorLayer } from '../../../document/layers.ts'
import { useEditor } from '../../../state/use-editor.ts'
import { type LayerEdit, sharedValue } from '../selection.ts'

/** Units that `Intl` writes in each language. */
type Unit = 'millimeter' | 'degree' | 'percent'

export interface NumberPropertyProps<Layer extends EditorLayer> {
  label: string
  layers: readonly Layer[]
  edit: LayerEdit<Layer>
  /** Names the step of undo. */
  name: string
  get(layer: Layer): number
  set(layer: Layer, value: number): Layer
  unit?: Unit
  /** A unit that `Intl` does not know, such as pt. */
  suffix?: string
  /** Values are rounded to it. Without it, the arrow keys change the value by 1, and all values are possible. */
  step?: number
  minValue?: number
  maxValue?: number
  hasSteppers?: boolean
}

const DECIMALS = 3

/** A number of the selected layers. If they differ, the field is empty and says so. */
export function NumberProperty<Layer extends EditorLayer>(props: NumberPropertyProps<Layer>) {
  const { label, layers, edit, name, get, set, unit, suffix, step, minValue, maxValue, hasSteppers = false } = props
  const { text } = useEditor()
  const value = sharedValue(layers, get)
  return (
    <NumberField
      label={label}
      value={value ?? Number.NaN}
      onChange={(next) => {
        if (!Number.isNaN(next) && next !== value) edit.change(name, (layer) => set(layer, next))
      }}
      onBlur={edit.end}
      isDisabled={edit.isDisabled}
      hasSteppers={hasSteppers}
      isWheelDisabled
      formatOptions={{
        maximumFractionDigits: DECIMALS,
        ...(unit === undefined ? {} : { style: 'unit', unit, unitDisplay: unit === 'degree' ? 'narrow' : 'short' }),
      }}
      {...(value === undefined ? { placeholder: text('mixed') } : {})}
      {...(suffix === undefined ? {} : { unit: suffix })}
      {...(step === undefined ? {} : { step })}
      {...(minValue === undefined ? {} : { minValue })}
      {...(maxValue === undefined ? {} : { maxValue })}
    />
  )
}
