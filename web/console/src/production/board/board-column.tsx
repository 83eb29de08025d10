import { Loading } from '@platen/app/frame'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Link } from 'wouter'
import type { Selection } from '../../orders/bulk/use-selection.ts'
import { ORDER_STATUS, type OrderStatus } from '../../orders/status.ts'
import { SelectAllBox } from '../../parts/select-all-box.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { boardQuery } from '../queries.ts'
import { BoardCard } from './board-card.tsx'
import { groupOrders, LATE, type OrderGroup } from './groups.ts'
import type { BoardState } from './use-board-state.ts'
import { useGroupTitle } from './use-group-title.ts'

export interface BoardColumnProps {
  status: OrderStatus
  state: BoardState
  selection: Selection
}

/** The orders of one status, in groups. */
export function BoardColumn({ status, state: { grouping, filter }, selection }: BoardColumnProps) {
  const texts = useTexts()
  const { text, formats } = texts
  const id = useId()
  const orders = useQuery(boardQuery(status, filter))
  const titleOf = useGroupTitle(grouping)
  const rows = orders.data?.data ?? []
  const hasMore = (orders.data?.nextCursor ?? null) !== null
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
      {orders.error === null ? null : <p className="note">{problemText(texts, orders.error)}</p>}
      {orders.isPending ? <Loading /> : null}
      {orders.isSuccess && rows.length === 0 ? <p className="note">{text('consoleProduction.nothingHere')}</p> : null}
      {groups.map(showGroup)}
      {hasMore ? (
        <Link href={`/orders?status=${status}`} className="board-more">
          {text('consoleProduction.showAll')}
        </Link>
      ) : null}
    </section>
  )
}
