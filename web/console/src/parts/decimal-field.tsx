import { classes, type FieldTexts, useTexts } from '@platen/ui'
import { type KeyboardEvent, useId, useState } from 'react'

export interface DecimalFieldProps extends FieldTexts {
  /** Undefined while the field holds no number. */
  value: number | undefined
  onChange(value: number | undefined): void
  /** The most digits after the decimal point. */
  decimals: number
  /** Whether all these digits are written, as in prices. */
  isPadded?: boolean
  /** What an arrow key adds. With Shift, it is ten times as much. */
  step?: number
  min?: number
  unit?: string | undefined
  className?: string
}

/**
 * A field for a number that tells each number while it is typed, so that a drawing can follow. Digits after the decimal
 * point follow a point or a comma.
 */
export function DecimalField(props: DecimalFieldProps) {
  const { label, description, error, value, onChange, decimals, step = 1, min = 0, unit, className } = props
  const minimumFractionDigits = props.isPadded === true ? decimals : 0
  const { formats } = useTexts()
  const id = useId()
  const write = (number: number | undefined): string =>
    number === undefined
      ? ''
      : formats.number(number, { minimumFractionDigits, maximumFractionDigits: decimals, useGrouping: false })
  const [typed, setTyped] = useState(write(value))
  // Something else has changed the number, such as a handle of the drawing.
  const shown = readDecimal(typed) === value ? typed : write(value)
  const change = (next: number): void => {
    const rounded = Number(Math.max(min, next).toFixed(decimals))
    setTyped(write(rounded))
    onChange(rounded)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (direction === undefined) return
    event.preventDefault()
    change((value ?? min) + direction * step * (event.shiftKey ? 10 : 1))
  }
  const notes = error ?? description
  return (
    <div className={classes('pl-field', className)} {...(error === undefined ? {} : { 'data-invalid': true })}>
      <label className="pl-label" htmlFor={id}>
        {label}
      </label>
      <div className="pl-input-group">
        <input
          id={id}
          className="pl-input"
          inputMode="decimal"
          autoComplete="off"
          value={shown}
          onChange={({ target }) => {
            setTyped(target.value)
            onChange(readDecimal(target.value))
          }}
          onBlur={() => setTyped(write(value))}
          onKeyDown={onKeyDown}
          {...(error === undefined ? {} : { 'aria-invalid': true })}
          {...(notes === undefined ? {} : { 'aria-describedby': `${id}-notes` })}
        />
        {unit === undefined ? null : (
          <span className="pl-unit" aria-hidden>
            {unit}
          </span>
        )}
      </div>
      {notes === undefined ? null : (
        <span id={`${id}-notes`} className={error === undefined ? 'pl-field-description' : 'pl-field-error'}>
          {notes}
        </span>
      )}
    </div>
  )
}

/** Returns the number that a text states with a point or a comma before its decimals; undefined for other texts. */
export function readDecimal(text: string): number | undefined {
  const digits = text.trim()
  return /^-?\d+(?:[.,]\d*)?$/.test(digits) ? Number(digits.replace(',', '.')) : undefined
}
