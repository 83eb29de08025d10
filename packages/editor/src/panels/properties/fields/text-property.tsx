import { TextField } from '@platen/ui'
import { useEffect, useState } from 'react'
import type { EditorLayer } from '../../../document/layers.ts'
import { useEditor } from '../../../state/use-editor.ts'
import { type LayerEdit, sharedValue } from '../selection.ts'

export interface TextPropertyProps<Layer extends EditorLayer> {
  label: string
  layers: readonly Layer[]
  edit: LayerEdit<Layer>
  name: string
  rows: number
  maxLength: number
  isRequired?: boolean
  get(layer: Layer): string
  set(layer: Layer, value: string): Layer
}

/** A text of one layer. A required text keeps its last value while the field is empty. */
export function TextProperty<Layer extends EditorLayer>(props: TextPropertyProps<Layer>) {
  const { label, layers, edit, name, rows, maxLength, isRequired = false, get, set } = props
  const { text } = useEditor()
  const value = sharedValue(layers, get)
  const [draft, setDraft] = useState(value ?? '')
  useEffect(() => setDraft(value ?? ''), [value])
  const isMissing = isRequired && draft === ''
  return (
    <TextField
      label={label}
      rows={rows}
      maxLength={maxLength}
      value={draft}
      isDisabled={edit.isDisabled}
      onChange={(next) => {
        setDraft(next)
        const clean = next.replaceAll('\0', '').toWellFormed()
        if (clean !== '' || !isRequired) edit.change(name, (layer) => set(layer, clean))
      }}
      onBlur={() => {
        edit.end()
        if (isMissing) setDraft(value ?? '')
      }}
      {...(value === undefined ? { placeholder: text('mixed') } : {})}
      {...(isMissing ? { error: text('valueRequired') } : {})}
    />
  )
}
