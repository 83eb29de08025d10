import {
  Select as AriaSelect,
  type SelectProps as AriaSelectProps,
  Button,
  ListBox,
  Popover,
  SelectValue,
} from 'react-aria-components/Select'
import { classes } from '../../classes.ts'
import { Icon } from '../icon/icon.tsx'
import type { Choice } from './choice.ts'
import { ChoiceItem } from './choice-item.tsx'
import { FieldLabel, FieldNotes, type FieldTexts, useNotes } from './field-parts.tsx'

export interface SelectProps
  extends Omit<
      AriaSelectProps<Choice, 'single'>,
      'className' | 'children' | 'style' | 'value' | 'onChange' | 'selectedKey' | 'onSelectionChange'
    >,
    FieldTexts {
  className?: string
  choices: readonly Choice[]
  value: string | null
  onChange(value: string): void
}

/** A list of which one value is chosen. Long lists that customers search are a `ComboBox`. */
export function Select(props: SelectProps) {
  const { label, description, error, className, choices, value, onChange, ...rest } = props
  const { field, notes } = useNotes(props)
  return (
    <AriaSelect
      {...rest}
      {...field}
      value={value}
      onChange={(key) => {
        if (key !== null) onChange(String(key))
      }}
      className={classes('pl-field', className)}
    >
      <FieldLabel>{label}</FieldLabel>
      <Button className="pl-input pl-select">
        <SelectValue className="pl-select-value" />
        <Icon name="chevron-down" size={18} />
      </Button>
      <FieldNotes {...notes} />
      <Popover className="pl-popover list">
        <ListBox className="pl-list" items={choices}>
          {(choice) => <ChoiceItem choice={choice} />}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
