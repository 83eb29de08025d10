import { type Ref, useId } from 'react'
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  Input,
  TextArea,
} from 'react-aria-components/TextField'
import { classes } from '../../classes.ts'
import { FieldLabel, FieldNotes, type FieldTexts, useNotes } from './field-parts.tsx'

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'className' | 'children' | 'style'>, FieldTexts {
  className?: string
  ref?: Ref<HTMLDivElement>
  placeholder?: string
  /** Shows this many lines, and takes several. */
  rows?: number | undefined
  /** What the browser offers while the user types. Other texts are possible. */
  suggestions?: readonly string[]
}

export function TextField(all: TextFieldProps) {
  const { label, description, error, className, placeholder, rows, suggestions = [], ...props } = all
  const listId = useId()
  const { field, notes } = useNotes({ ...props, description, error })
  const hint = placeholder === undefined ? {} : { placeholder }
  return (
    <AriaTextField {...props} {...field} className={classes('pl-field', className)}>
      <FieldLabel>{label}</FieldLabel>
      {rows === undefined ? (
        <Input className="pl-input" {...hint} {...(suggestions.length === 0 ? {} : { list: listId })} />
      ) : (
        <TextArea className="pl-input" rows={rows} {...hint} />
      )}
      {suggestions.length === 0 ? null : (
        <datalist id={listId}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      <FieldNotes {...notes} />
    </AriaTextField>
  )
}
