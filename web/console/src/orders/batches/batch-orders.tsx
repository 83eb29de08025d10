import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { Batch, BatchOrder, OwnUser } from '@platen/client'
import { IconButton, type MessageKey, useTexts } from '@platen/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { mayUse } from '../../access/may-use.ts'
import { Pill, type Tone } from '../../parts/pill.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { ORDER_STATUS } from '../status.ts'
import { BATCHES } from './queries.ts'

const FILES: Readonly<Record<BatchOrder['printFiles'], { text: MessageKey; tone: Tone }>> = {
  ready: { text: 'console.filesAreReady', tone: 'good' },
  pending: { text: 'console.filesArePending', tone: 'info' },
  failed: { text: 'console.filesHaveFailed', tone: 'danger' },
}

/** The orders of a batch in the order of production. */
export function BatchOrders({ batch, user }: { batch: Batch; user: OwnUser }) {
  const { text } = useTexts()
  const columns = useColumns(batch, batch.status === 'open' && mayUse(user, 'production:write'))
  return (
    <DataTable label={text('console.orders')} columns={columns} rows={batch.orders} keyOf={({ orderId }) => orderId} />
  )
}

function useColumns(batch: Batch, mayRemove: boolean): readonly Column<BatchOrder>[] {
  const { text, formats } = useTexts()
  const columns: readonly Column<BatchOrder>[] = [
    {
      id: 'order',
      title: text('console.order'),
      cell: ({ orderId, orderNumber, recipient }) => (
        <>
          <Link href={`/orders/${orderId}`} className="row-link" data-row>
            {orderNumber}
          </Link>
          <span className="cell-note">{recipient}</span>
        </>
      ),
    },
    {
      id: 'pieces',
      title: text('console.batchPieces'),
      isNumber: true,
      from: 45,
      cell: ({ pieces }) => formats.number(pieces),
    },
    {
      id: 'status',
      title: text('console.status'),
      isBelow: true,
      cell: ({ status }) => <Pill tone={ORDER_STATUS[status].tone}>{text(ORDER_STATUS[status].text)}</Pill>,
    },
    {
      id: 'files',
      title: text('console.batchFiles'),
      from: 45,
      cell: ({ printFiles }) => <Pill tone={FILES[printFiles].tone}>{text(FILES[printFiles].text)}</Pill>,
    },
  ]
  if (!mayRemove) return columns
  return [
    ...columns,
    {
      id: 'remove',
      title: text('console.batchRemove'),
      isTitleHidden: true,
      cell: (order) => <RemoveButton batchId={batch.id} order={order} />,
    },
  ]
}

function RemoveButton({ batchId, order: { orderId, orderNumber } }: { batchId: string; order: BatchOrder }) {
  const texts = useTexts()
  const { text } = texts
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: async () => platen.production.removeOrderFromBatch(batchId, orderId),
    onError: (error) => notices.add({ text: problemText(texts, error), tone: 'danger' }),
    onSettled: () => client.invalidateQueries({ queryKey: BATCHES }),
  })
  return (
    <IconButton
      icon="close"
      label={text('console.batchRemoveOrder', { number: orderNumber })}
      isPending={remove.isPending}
      onPress={() => remove.mutate()}
    />
  )
}
