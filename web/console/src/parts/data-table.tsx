import { classes } from '@platen/ui'
import type { ReactNode } from 'react'

export interface Column<Row> {
  id: string
  title: string
  cell(row: Row): ReactNode
  /** Numbers align at their end. */
  isNumber?: boolean
  /** The width of the table in `rem` from which the column is shown. The first columns have none. */
  from?: 30 | 45 | 60 | 75
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
}

/** A table that leaves out columns where it is narrow. The first cell of a row is its heading, and holds its link. */
export function DataTable<Row>({ label, columns, rows, keyOf, current, isStale = false }: DataTableProps<Row>) {
  return (
    <div className="table-box">
      <table className="table" aria-label={label} aria-busy={isStale}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={cellClass(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={keyOf(row) === current ? 'current' : ''}>
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

const cellClass = <Row,>({ id, isNumber, from }: Column<Row>): string =>
  classes(`of-${id}`, isNumber && 'number', from !== undefined && `from-${from}`)
