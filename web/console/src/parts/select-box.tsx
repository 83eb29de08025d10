import { Checkbox } from '@platen/ui'
import { useRef } from 'react'

export interface SelectBoxProps {
  /** The accessible name. */
  label: string
  isSelected: boolean
  /** @param isRange whether Shift was held, which selects all between this one and the last one */
  onToggle(isRange: boolean): void
}

/** The checkbox by which a row or a card is selected. */
export function SelectBox({ label, isSelected, onToggle }: SelectBoxProps) {
  // The change event does not tell whether Shift is held.
  const isRange = useRef(false)
  const toggle = (): void => {
    onToggle(isRange.current)
    isRange.current = false
  }
  return (
    <span
      className="select-box"
      onPointerDownCapture={({ shiftKey }) => {
        isRange.current = shiftKey
      }}
      onKeyDownCapture={({ key, shiftKey }) => {
        isRange.current = key === ' ' && shiftKey
      }}
    >
      <Checkbox aria-label={label} isSelected={isSelected} onChange={toggle}>
        {null}
      </Checkbox>
    </span>
  )
}
