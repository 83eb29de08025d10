import { type SelectHTMLAttributes, useId } from 'react'
import { classes } from '../../classes.ts'
import type { Choice } from './choice.ts'
import type { FieldTexts } from './field-parts.tsx'

export interface NativeSelectProps
  extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value' | 'style' | 'required'>,
    FieldTexts {
  choices: readonly Pick<Choice, 'id' | 'text'>[]
  /** Empty: nothing is chosen. */
  value: string
  /** Stands for the empty value. */
  placeholder: string
  isRequired?: boolean
  onChange(value: string): void
}

/** The list of the browser, which can fill it in, such as the country of a postal address. */
export function NativeSelect(props: NativeSelectProps) {
  const { label, description, error, className, choices, placeholder, isRequired = false, onChange, ...rest } = props
  const id = useId()
  return (
    <div className={classes('pl-field', className)} {...(isRequired ? { 'data-required': true } : {})}>
      <label className="pl-label" htmlFor={id}>
        {label}
      </label>
      <select
        {...rest}
        id={id}
        className="pl-input pl-native-select"
        required={isRequired}
        onChange={(event) => onChange(event.target.value)}
        {...(error === undefined ? {} : { 'aria-invalid': true, 'data-invalid': true })}
        {...(description === undefined && error === undefined ? {} : { 'aria-describedby': `${id}-notes` })}
      >
        <option value="">{placeholder}</option>
        {choices.map((choice) => (
          <option key={choice.id} value={choice.id}>
            {choice.text}
          </option>
        ))}
      </select>
      {description === undefined && error === undefined ? null : (
        <span id={`${id}-notes`} className={error === undefined ? 'pl-field-description' : 'pl-field-error'}>
          {error ?? description}
        </span>
      )}
    </div>
  )
}
