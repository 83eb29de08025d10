import { classes, type FieldTexts, useSelectOnFocus, useTexts } from '@platen/ui'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'

export interface DecimalFieldProps extends FieldTexts {
  /** Undefined while the field holds no number. */
  value: number | undefined
  onChange(value: number | undefined): void
  /** The most digits after the decimal point. */
  decimals: number
  /** Whether all these digits are written, as in prices. A number with more of them is then a mistake. */
  isPadded?: boolean
  /** What an arrow key adds. With Shift, it is ten times as much. */
  step?: number
  min?: number
  unit?: string | undefined
  className?: string
  autoFocus?: boolean
  /** Whether typing replaces the number when the field gets the focus. */
  selectsOnFocus?: boolean
  isRequired?: boolean
  /** The place of the value, by which a message can lead to the field. */
  'data-at'?: string
}

/**
 * A field for a number that tells each number while it is typed, so that a drawing can follow. Digits after the decimal
 * point follow a point or a comma.
 */
export function DecimalField(props: DecimalFieldProps) {
  const { label, description, value, onChange, decimals, step = 1, min = 0, unit, className } = props
  const minimumFractionDigits = props.isPadded === true ? decimals : 0
  const mostDecimals = props.isPadded === true ? decimals : undefined
  const { text, formats } = useTexts()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const selecting = useSelectOnFocus()
  const write = (number: number | undefined): string =>
    number === undefined
      ? ''
      : formats.number(number, { minimumFractionDigits, maximumFractionDigits: decimals, useGrouping: false })
  const [typed, setTyped] = useState(write(value))
  // Something else has changed the number, such as a handle of the drawing.
  const shown = readDecimal(typed, mostDecimals) === value ? typed : write(value)
  const example = formats.number(1.5, { minimumFractionDigits, maximumFractionDigits: Math.max(1, decimals) })
  const isUnreadable = value === undefined && shown.trim() !== ''
  const error = props.error ?? (isUnreadable ? text('console.numberUnreadable', { example }) : undefined)
  // The browser then sends no form that lacks the number, even if the number is optional.
  useEffect(() => input.current?.setCustomValidity(isUnreadable ? (error ?? '') : ''), [isUnreadable, error])
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
    <div
      className={classes('pl-field', className)}
      {...(error === undefined ? {} : { 'data-invalid': true })}
      {...(props.isRequired === true ? { 'data-required': true } : {})}
    >
      <label className="pl-label" htmlFor={id}>
        {label}
      </label>
      <div className="pl-input-group">
        <input
          ref={input}
          id={id}
          data-at={props['data-at']}
          className="pl-input"
          inputMode="decimal"
          required={props.isRequired ?? false}
          autoComplete="off"
          value={shown}
          onChange={({ target }) => {
            setTyped(target.value)
            onChange(readDecimal(target.value, mostDecimals))
          }}
          onBlur={() => {
            if (value !== undefined) setTyped(write(value))
          }}
          onKeyDown={onKeyDown}
          {...(props.selectsOnFocus === true ? selecting : {})}
          // biome-ignore lint/a11y/noAutofocus: a dialog begins with its first field
          autoFocus={props.autoFocus}
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

/**
 * Returns the number that a text states with a point or a comma before its decimals; undefined for other texts, also for
 * one with more decimals than this, such as `1,000` for a price.
 */
export function readDecimal(text: string, mostDecimals = Number.POSITIVE_INFINITY): number | undefined {
  const [number, decimals = ''] = /^-?\d+(?:[.,](\d*))?$/.exec(text.trim()) ?? []
  return number === undefined || decimals.length > mostDecimals ? undefined : Number(number.replace(',', '.'))
}
