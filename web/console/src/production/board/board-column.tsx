import { Loading } from '@platen/app/frame'
import { useTexts } from '@platen/ui'
import { useId } from 'react'
import { Link } from 'wouter'
import type { Selection } from '../../orders/bulk/use-selection.ts'
import { ORDER_STATUS } from '../../orders/status.ts'
import { SelectAllBox } from '../../parts/select-all-box.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { BoardCard } from './board-card.tsx'
import { type Grouping, groupOrders, LATE, type OrderGroup } from './groups.ts'
import type { ColumnState } from './use-board.ts'
import { useGroupTitle } from './use-group-title.ts'

export interface BoardColumnProps {
  column: ColumnState
  /** The table with all orders of the column. */
  all: string
  grouping: Grouping
  selection: Selection
}

/** The orders of one status, in groups. */
export function BoardColumn({ column, all, grouping, selection }: BoardColumnProps) {
  const { status, rows, hasMore, isPending, error } = column
  const texts = useTexts()
  const { text, formats } = texts
  const id = useId()
  const titleOf = useGroupTitle(grouping)
  const groups = groupOrders(rows, grouping, { now: new Date(), dayOf: (time) => new Date(time).toDateString() })
  const shown = groups.flatMap(({ orders: some }) => some)
  const showGroup = (group: OrderGroup) => (
    <section key={group.id} aria-label={titleOf(group)} className="board-group">
      <h3 className={group.id === LATE ? 'late' : undefined}>
        <span>{titleOf(group)}</span>
        <span className="note">{text('consoleProduction.pieces', { count: group.pieces })}</span>
      </h3>
      <ul>
        {group.orders.map((order) => (
          <BoardCard
            key={order.id}
            order={order}
            isSelected={selection.isSelected(order.id)}
            onToggle={(isRange) => selection.toggle(order, isRange ? shown : [])}
          />
        ))}
      </ul>
    </section>
  )
  return (
    <section className="board-column" aria-labelledby={id}>
      <div className="board-column-head">
        <h2 id={id}>
          {text(ORDER_STATUS[status].text)}
          <span className="view-count">
            {formats.number(rows.length)}
            {hasMore ? '+' : ''}
          </span>
        </h2>
        {shown.length === 0 ? null : (
          <SelectAllBox
            label={text('consoleProduction.selectColumn', { status: text(ORDER_STATUS[status].text) })}
            rows={shown}
            isSelected={({ id: one }) => selection.isSelected(one)}
            onChange={(isOn) => selection.toggleAll(shown, isOn)}
          />
        )}
      </div>
      {error === null ? null : <p className="note">{problemText(texts, error)}</p>}
      {isPending ? <Loading /> : null}
      {!isPending && error === null && rows.length === 0 ? (
        <p className="note">{text('consoleProduction.nothingHere')}</p>
      ) : null}
      {groups.map(showGroup)}
      {hasMore ? (
        <Link href={all} className="board-more">
          {text('consoleProduction.showAll')}
        </Link>
      ) : null}
    </section>
  )
}
