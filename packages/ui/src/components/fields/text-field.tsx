import type { Ref } from 'react'
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
}

export function TextField({ label, description, error, className, placeholder, rows, ...props }: TextFieldProps) {
  const { field, notes } = useNotes({ ...props, description, error })
  const hint = placeholder === undefined ? {} : { placeholder }
  return (
    <AriaTextField {...props} {...field} className={classes('pl-field', className)}>
      <FieldLabel>{label}</FieldLabel>
      {rows === undefined ? (
        <Input className="pl-input" {...hint} />
      ) : (
        <TextArea className="pl-input" rows={rows} {...hint} />
      )}
      <FieldNotes {...notes} />
    </AriaTextField>
  )
}
