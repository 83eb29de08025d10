import { type SyntheticEvent, useRef } from 'react'
import {
  NumberField as AriaNumberField,
  type NumberFieldProps as AriaNumberFieldProps,
  Button,
  Group,
  Input,
} from 'react-aria-components/NumberField'
import { classes } from '../../classes.ts'
import { Icon } from '../icon/icon.tsx'
import { FieldLabel, FieldNotes, type FieldTexts, useNotes } from './field-parts.tsx'

export interface NumberFieldProps extends Omit<AriaNumberFieldProps, 'className' | 'children' | 'style'>, FieldTexts {
  className?: string
  /** Shown while the field is empty. */
  placeholder?: string
  /** Shown after the number, such as `mm`. Units that `Intl` knows belong into `formatOptions`. */
  unit?: string | undefined
  /** Whether the field has buttons for one step up and down. The arrow keys always step. */
  hasSteppers?: boolean
  /** Whether typing replaces the number when the field gets the focus. */
  selectsOnFocus?: boolean
}

/** A field for a number in the writing of the language. `step`, `minValue` and `maxValue` limit it. */
export function NumberField(props: NumberFieldProps) {
  const { label, description, error, className, placeholder, unit, hasSteppers = true, selectsOnFocus, ...rest } = props
  const { field, notes } = useNotes(props)
  const selecting = useSelectOnFocus()
  return (
    <AriaNumberField {...rest} {...field} className={classes('pl-field', className)}>
      <FieldLabel>{label}</FieldLabel>
      <Group className="pl-input-group">
        <Input
          className="pl-input"
          {...(selectsOnFocus === true ? selecting : {})}
          {...(placeholder === undefined ? {} : { placeholder })}
        />
        {unit === undefined ? null : (
          <span className="pl-unit" aria-hidden>
            {unit}
          </span>
        )}
        {hasSteppers ? <Steppers /> : null}
      </Group>
      <FieldNotes {...notes} />
    </AriaNumberField>
  )
}

function Steppers() {
  return (
    <>
      <Button slot="decrement" className="pl-stepper">
        <Icon name="minus" size={16} />
      </Button>
      <Button slot="increment" className="pl-stepper">
        <Icon name="plus" size={16} />
      </Button>
    </>
  )
}

type InputEvent = SyntheticEvent<HTMLInputElement>

/**
 * Returns handlers for a field whose content is replaced more often than it is changed: the focus selects the content, so
 * that typing replaces it. A further press places the cursor.
 */
export function useSelectOnFocus() {
  const isEntered = useRef(false)
  return {
    onPointerDown: ({ currentTarget }: InputEvent): void => {
      isEntered.current = !currentTarget.matches(':focus')
    },
    onFocus: ({ currentTarget }: InputEvent): void => currentTarget.select(),
    // After the focus, the press has placed the cursor. A part that was selected with the pointer stays selected.
    onClick: ({ currentTarget }: InputEvent): void => {
      if (isEntered.current && currentTarget.selectionStart === currentTarget.selectionEnd) currentTarget.select()
      isEntered.current = false
    },
  }
}
