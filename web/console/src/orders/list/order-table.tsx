import type { ListedOrder, OrderItem } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { Pill } from '../../parts/pill.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { noteOpened } from '../../parts/table/use-place.ts'
import { Time } from '../../parts/time.tsx'
import type { Selection } from '../bulk/use-selection.ts'
import { DisputedPill } from '../disputed-pill.tsx'
import { RepliedPill } from '../replied-pill.tsx'
import { ORDER_STATUS, PAYMENT_STATUS } from '../status.ts'

export interface OrderTableProps {
  orders: readonly ListedOrder[]
  isStale?: boolean
  lastOpened?: string | undefined
  /** Makes the orders selectable. */
  selection?: Selection | undefined
}

export function OrderTable({ orders, isStale = false, lastOpened, selection }: OrderTableProps) {
  const { text } = useTexts()
  return (
    <DataTable
      label={text('console.orders')}
      columns={useColumns()}
      rows={orders}
      keyOf={({ id }) => id}
      isStale={isStale}
      current={lastOpened}
      selection={
        selection && {
          isSelected: ({ id }) => selection.isSelected(id),
          toggle: (order, isRange) => selection.toggle(order, isRange ? orders : []),
          toggleAll: (isOn) => selection.toggleAll(orders, isOn),
          labelOf: ({ number }) => text('console.selectOrder', { number }),
          allLabel: text('console.selectAll'),
        }
      }
    />
  )
}

function useColumns(): readonly Column<ListedOrder>[] {
  const { text, formats } = useTexts()
  return [
    { id: 'number', title: text('console.order'), cell: (order) => <NumberCell order={order} /> },
    { id: 'placed', title: text('console.placed'), from: 60, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: 'recipient', title: text('console.recipient'), from: 45, cell: (order) => <RecipientCell order={order} /> },
    { id: 'items', title: text('console.items'), from: 60, cell: ({ items }) => <ItemsCell items={items} /> },
    {
      id: 'status',
      title: text('console.status'),
      isBelow: true,
      cell: (order) => <StatusCell order={order} />,
    },
    {
      id: 'payment',
      title: text('console.payment'),
      from: 60,
      cell: ({ payment: { status } }) => (
        <Pill tone={PAYMENT_STATUS[status].tone}>{text(PAYMENT_STATUS[status].text)}</Pill>
      ),
    },
    {
      id: 'due',
      title: text('console.due'),
      from: 60,
      cell: ({ dueAt }) => (dueAt === null ? '–' : formats.date(dueAt)),
    },
    {
      id: 'total',
      title: text('console.total'),
      isNumber: true,
      from: 30,
      cell: ({ amounts }) => formats.money(amounts.total),
    },
  ]
}

/** The number leads to the order. Where the table is narrow, what the other columns say is below it. */
function NumberCell({ order }: { order: ListedOrder }) {
  const { formats } = useTexts()
  const { name, company } = order.shippingAddress
  return (
    <>
      <Link href={`/orders/${order.id}`} className="row-link" data-row onClick={() => noteOpened('/orders', order.id)}>
        {order.number}
      </Link>
      <span className="cell-note until-45">
        {company ?? name} · {formats.ago(order.createdAt)}
        <span className="until-30"> · {formats.money(order.amounts.total)}</span>
      </span>
    </>
  )
}

function RecipientCell({ order }: { order: ListedOrder }) {
  const { name, company, city, country } = order.shippingAddress
  return (
    <>
      <span className="cell-text">{company ?? name}</span>
      <span className="cell-note">
        {city}, {country}
      </span>
    </>
  )
}

function ItemsCell({ items }: { items: readonly OrderItem[] }) {
  const { text, formats } = useTexts()
  const [first, ...others] = items
  if (first === undefined) return null
  return (
    <>
      <span className="cell-text">
        {formats.number(first.quantity)} × {first.product.name ?? text('console.someProduct')}
      </span>
      {others.length === 0 ? null : (
        <span className="cell-note">{text('console.moreItems', { count: others.length })}</span>
      )}
    </>
  )
}

function StatusCell({ order: { status, hold, payment } }: { order: ListedOrder }) {
  const { text } = useTexts()
  return (
    <>
      <Pill tone={ORDER_STATUS[status].tone}>{text(ORDER_STATUS[status].text)}</Pill>
      <DisputedPill payment={payment} />
      <RepliedPill hold={hold} />
      {hold === undefined ? null : <span className="cell-note from-60 cell-hold">{hold.reason}</span>}
    </>
  )
}
