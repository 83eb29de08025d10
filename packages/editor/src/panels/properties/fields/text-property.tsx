import { TextField } from '@platen/ui'
import { useEffect, useRef, useState } from 'react'
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
  /** A value that is an example: a hint asks for the own one. */
  example?: { value: string; hint: string }
  /** Focuses the field and selects its text, then calls `onSelected`. */
  isSelected?: boolean
  onSelected?(): void
  get(layer: Layer): string
  set(layer: Layer, value: string): Layer
}

/** A text of one layer. A required text keeps its last value while the field is empty. */
export function TextProperty<Layer extends EditorLayer>(props: TextPropertyProps<Layer>) {
  const { label, layers, edit, name, rows, maxLength, isRequired = false, get, set } = props
  const { text } = useEditor()
  const fieldRef = useRef<HTMLDivElement>(null)
  const { isSelected = false, onSelected, example } = props
  useEffect(() => {
    const field = fieldRef.current?.querySelector<HTMLTextAreaElement>('textarea')
    if (!isSelected || field == null) return
    field.focus()
    field.select()
    onSelected?.()
  }, [isSelected, onSelected])
  const value = sharedValue(layers, get)
  const [draft, setDraft] = useState(value ?? '')
  useEffect(() => setDraft(value ?? ''), [value])
  const isMissing = isRequired && draft === ''
  return (
    <TextField
      ref={fieldRef}
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
      {...(example !== undefined && draft === example.value ? { description: example.hint } : {})}
      {...(isMissing ? { error: text('valueRequired') } : {})}
    />
  )
}
