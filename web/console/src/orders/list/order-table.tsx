import type { ListedOrder } from '@platen/client'
import { useTexts } from '@platen/ui'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Time } from '../../parts/time.tsx'
import { ORDER_STATUS, PAYMENT_STATUS } from '../status.ts'

export interface OrderTableProps {
  orders: readonly ListedOrder[]
  isStale: boolean
}

export function OrderTable({ orders, isStale }: OrderTableProps) {
  const { text } = useTexts()
  return (
    <DataTable
      label={text('console.orders')}
      columns={useColumns()}
      rows={orders}
      keyOf={({ id }) => id}
      isStale={isStale}
    />
  )
}

function useColumns(): readonly Column<ListedOrder>[] {
  const { text, formats } = useTexts()
  return [
    { id: 'number', title: text('console.order'), cell: ({ number }) => number },
    { id: 'placed', title: text('console.placed'), from: 60, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      id: 'recipient',
      title: text('console.recipient'),
      from: 45,
      cell: ({ shippingAddress: { name, company } }) => company ?? name,
    },
    {
      id: 'status',
      title: text('console.status'),
      cell: ({ status }) => <Pill tone={ORDER_STATUS[status].tone}>{text(ORDER_STATUS[status].text)}</Pill>,
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
      id: 'total',
      title: text('console.total'),
      isNumber: true,
      cell: ({ amounts }) => formats.money(amounts.total),
    },
  ]
}
