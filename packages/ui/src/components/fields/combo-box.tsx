import {
  ComboBox as AriaComboBox,
  type ComboBoxProps as AriaComboBoxProps,
  Button,
  Input,
  ListBox,
  Popover,
} from 'react-aria-components/ComboBox'
import { Group } from 'react-aria-components/NumberField'
import { classes } from '../../classes.ts'
import { Icon } from '../icon/icon.tsx'
import type { Choice } from './choice.ts'
import { ChoiceItem } from './choice-item.tsx'
import { FieldLabel, FieldNotes, type FieldTexts, useNotes } from './field-parts.tsx'

export interface ComboBoxProps
  extends Omit<
      AriaComboBoxProps<Choice, 'single'>,
      | 'className'
      | 'children'
      | 'style'
      | 'items'
      | 'defaultItems'
      | 'value'
      | 'onChange'
      | 'selectedKey'
      | 'onSelectionChange'
    >,
    FieldTexts {
  className?: string
  choices: readonly Choice[]
  value: string | null
  onChange(value: string): void
  /** The accessible name of the button that opens the list. */
  openLabel?: string
}

/** A field that searches a list while the customer types. */
export function ComboBox(props: ComboBoxProps) {
  const { label, description, error, className, choices, value, onChange, openLabel, ...rest } = props
  const { field, notes } = useNotes(props)
  return (
    <AriaComboBox
      {...rest}
      {...field}
      defaultItems={choices}
      value={value}
      onChange={(key) => {
        if (key !== null) onChange(String(key))
      }}
      className={classes('pl-field', className)}
    >
      <FieldLabel>{label}</FieldLabel>
      <Group className="pl-input-group">
        <Input className="pl-input" />
        <Button className="pl-stepper" {...(openLabel === undefined ? {} : { 'aria-label': openLabel })}>
          <Icon name="chevron-down" size={18} />
        </Button>
      </Group>
      <FieldNotes {...notes} />
      <Popover className="pl-popover list">
        <ListBox<Choice> className="pl-list">{(choice) => <ChoiceItem choice={choice} />}</ListBox>
      </Popover>
    </AriaComboBox>
  )
}
