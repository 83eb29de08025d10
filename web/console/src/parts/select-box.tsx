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
  const box = useRef<HTMLSpanElement>(null)
  const toggle = (): void => {
    // A shortcut has no pointer and no key on the checkbox.
    onToggle(isRange.current || box.current?.dataset['select'] === 'range')
    isRange.current = false
    if (box.current !== null) box.current.dataset['select'] = ''
  }
  return (
    <span
      ref={box}
      className="select-box"
      data-select=""
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
