import { Button, Popover } from '@platen/ui'
import { useState } from 'react'
import type { EditorLayer } from '../../../document/layers.ts'
import type { EditorMessage } from '../../../messages.ts'
import { useEditor } from '../../../state/use-editor.ts'
import { type LayerEdit, sharedValue } from '../selection.ts'
import { ColorPicker } from './color-picker.tsx'
import { recentColors } from './recent-colors.ts'

export interface ColorPropertyProps<Layer extends EditorLayer> {
  label: EditorMessage
  layers: readonly Layer[]
  edit: LayerEdit<Layer>
  get(layer: Layer): string
  set(layer: Layer, color: string): Layer
}

/** A colour of the selected layers: a button that shows it, and opens the picker. */
export function ColorProperty<Layer extends EditorLayer>({ label, layers, edit, get, set }: ColorPropertyProps<Layer>) {
  const { text } = useEditor()
  const [isOpen, setIsOpen] = useState(false)
  const color = sharedValue(layers, get)
  const shown = color?.toUpperCase() ?? text('mixed')
  const change = (isNowOpen: boolean): void => {
    setIsOpen(isNowOpen)
    if (isNowOpen) return
    edit.end()
    if (color !== undefined) recentColors.add(color)
  }
  const remember = (): (() => void) => {
    const colors = new Map(layers.map((layer) => [layer.id, get(layer)]))
    return () => edit.change(label, (layer) => set(layer, colors.get(layer.id) ?? get(layer)))
  }
  return (
    <Popover
      aria-label={text(label)}
      placement="bottom start"
      isOpen={isOpen}
      onOpenChange={change}
      trigger={
        <Button className="pe-color-button" isDisabled={edit.isDisabled} aria-label={`${text(label)}: ${shown}`}>
          <span className="pe-swatch" aria-hidden>
            <span style={{ backgroundColor: color ?? 'transparent' }} />
          </span>
          <span className="pe-color-text">
            <span className="pl-label">{text(label)}</span>
            <span>{shown}</span>
          </span>
        </Button>
      }
    >
      <ColorPicker
        value={color}
        onChange={(next) => edit.change(label, (layer) => set(layer, next))}
        remember={remember}
      />
    </Popover>
  )
}
