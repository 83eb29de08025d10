import { Icon, type IconName, Select, ToggleButton, ToggleButtonGroup } from '@platen/ui'
import type { EditorLayer } from '../../../document/layers.ts'
import type { EditorMessage } from '../../../messages.ts'
import { useEditor } from '../../../state/use-editor.ts'
import { type LayerEdit, sharedValue } from '../selection.ts'

interface ChoicePropertyProps<Layer extends EditorLayer, Value extends string> {
  label: EditorMessage
  layers: readonly Layer[]
  edit: LayerEdit<Layer>
  get(layer: Layer): Value
  set(layer: Layer, value: Value): Layer
}

export interface SelectPropertyProps<Layer extends EditorLayer, Value extends string>
  extends ChoicePropertyProps<Layer, Value> {
  choices: readonly { id: Value; text: string }[]
  isWide?: boolean
}

/** One of a few values, as a list. */
export function SelectProperty<Layer extends EditorLayer, Value extends string>(
  props: SelectPropertyProps<Layer, Value>,
) {
  const { label, layers, edit, get, set, choices, isWide = false } = props
  const { text } = useEditor()
  return (
    <Select
      className={isWide ? 'pe-wide' : ''}
      label={text(label)}
      choices={choices}
      value={sharedValue(layers, get) ?? null}
      onChange={(value) => {
        edit.end()
        edit.change(label, (layer) => set(layer, value as Value))
      }}
      isDisabled={edit.isDisabled}
      placeholder={text('mixed')}
    />
  )
}

export interface IconPropertyProps<Layer extends EditorLayer, Value extends string>
  extends ChoicePropertyProps<Layer, Value> {
  choices: readonly { id: Value; icon: IconName; label: EditorMessage }[]
}

/** One of a few values, as buttons. */
export function IconProperty<Layer extends EditorLayer, Value extends string>(props: IconPropertyProps<Layer, Value>) {
  const { label, layers, edit, get, set, choices } = props
  const { text } = useEditor()
  const value = sharedValue(layers, get)
  return (
    <ToggleButtonGroup
      aria-label={text(label)}
      selectionMode="single"
      disallowEmptySelection={value !== undefined}
      selectedKeys={value === undefined ? [] : [value]}
      isDisabled={edit.isDisabled}
      onSelectionChange={(keys) => {
        const [key] = keys
        if (key === undefined) return
        edit.end()
        edit.change(label, (layer) => set(layer, key as Value))
      }}
    >
      {choices.map((choice) => (
        <ToggleButton key={choice.id} id={choice.id} isIcon aria-label={text(choice.label)}>
          <Icon name={choice.icon} />
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}
