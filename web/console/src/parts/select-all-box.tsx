import { Checkbox } from '@platen/ui'

export interface SelectAllBoxProps<Row> {
  /** The accessible name. */
  label: string
  rows: readonly Row[]
  isSelected(row: Row): boolean
  /** Selects all rows, or none of them. */
  onChange(isOn: boolean): void
}

/** The checkbox by which all rows or cards are selected. */
export function SelectAllBox<Row>({ label, rows, isSelected, onChange }: SelectAllBoxProps<Row>) {
  const count = rows.filter(isSelected).length
  return (
    <Checkbox
      aria-label={label}
      isSelected={count > 0 && count === rows.length}
      isIndeterminate={count > 0 && count < rows.length}
      onChange={onChange}
    >
      {null}
    </Checkbox>
  )
}
