import { classes } from '@platen/ui'
import type { ReactNode } from 'react'
import { SelectAllBox } from '../select-all-box.tsx'
import { SelectBox } from '../select-box.tsx'

export interface Column<Row> {
  id: string
  title: string
  /** Whether the title is only for screen readers. */
  isTitleHidden?: boolean
  cell(row: Row): ReactNode
  /** Numbers align at their end. */
  isNumber?: boolean
  /** The width of the table in `rem` from which the column is shown. The first columns have none. */
  from?: 30 | 45 | 60 | 75
  /** Whether the cell is below the first one where the table is narrower than 30 `rem`. */
  isBelow?: boolean
}

export interface DataTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** The row that was opened last. */
  current?: string | undefined
  /** Whether newer rows are on their way. */
  isStale?: boolean
  /** Makes rows selectable. */
  selection?: RowSelection<Row> | undefined
}

export interface RowSelection<Row> {
  isSelected(row: Row): boolean
  /** @param isRange whether the rows since the one that was toggled last change too */
  toggle(row: Row, isRange: boolean): void
  toggleAll(isOn: boolean): void
  /** The accessible name of the checkbox of a row. */
  labelOf(row: Row): string
  allLabel: string
}

/** A table that leaves out columns where it is narrow. The first cell of a row is its heading, and holds its link. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, current, isStale = false, selection } = props
  return (
    <div className="table-box">
      <table className="table" aria-label={label} aria-busy={isStale}>
        <thead>
          <tr>
            {selection === undefined ? null : (
              <td className="select">
                <SelectAllBox
                  label={selection.allLabel}
                  rows={rows}
                  isSelected={selection.isSelected}
                  onChange={selection.toggleAll}
                />
              </td>
            )}
            {columns.map((column) => (
              <th key={column.id} scope="col" className={cellClass(column)}>
                {column.isTitleHidden === true ? <span className="visually-hidden">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={keyOf(row) === current ? 'current' : ''}>
              {selection === undefined ? null : (
                <td className="select">
                  <SelectBox
                    label={selection.labelOf(row)}
                    isSelected={selection.isSelected(row)}
                    onToggle={(isRange) => selection.toggle(row, isRange)}
                  />
                </td>
              )}
              {columns.map((column, index) => {
                const Cell = index === 0 ? 'th' : 'td'
                return (
                  <Cell key={column.id} {...(index === 0 ? { scope: 'row' } : {})} className={cellClass(column)}>
                    {column.cell(row)}
                  </Cell>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const cellClass = <Row,>({ id, isNumber, from, isBelow }: Column<Row>): string =>
  classes(`of-${id}`, isNumber && 'number', from !== undefined && `from-${from}`, isBelow && 'below')
