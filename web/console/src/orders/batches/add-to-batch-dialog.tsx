import { createProblemText } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { type Batch, PlatenError } from '@platen/client'
import { type MessageKey, Select, TextField, useTexts } from '@platen/ui'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { PROBLEM_TEXTS } from '../../shell/problem-text.ts'
import { batchName } from './batch-name.ts'
import { BATCHES, batchListQuery } from './queries.ts'

const batchProblemText = createProblemText({
  ...PROBLEM_TEXTS,
  batch_closed: 'console.problemBatchClosed',
  batch_full: 'console.problemBatchFull',
  batch_orders_refused: 'console.problemBatchOrders',
})

const REFUSALS: Readonly<Record<string, MessageKey>> = {
  order_not_found: 'console.failureUnknown',
  order_not_producible: 'console.batchNotProducible',
  order_in_other_batch: 'console.batchInOther',
}

const NEW = 'new'

export interface AddToBatchDialogProps {
  orders: readonly { id: string }[]
  onClose(): void
  onDone(batch: Batch): void
}

/** Puts the selected orders into a new batch or an open one. If one of them cannot be added, none is. */
export function AddToBatchDialog({ orders: given, onClose, onDone }: AddToBatchDialogProps) {
  const texts = useTexts()
  const { text } = texts
  const [orders] = useState(given)
  const [target, setTarget] = useState(NEW)
  const [name, setName] = useState('')
  const open = useQuery(batchListQuery({ status: 'open', limit: 100 }))
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: async (): Promise<Batch> => {
      const orderIds = orders.map(({ id }) => id)
      if (target !== NEW) return platen.production.addOrdersToBatch(target, { orderIds })
      const named = name.trim() === '' ? {} : { name: name.trim() }
      return platen.production.createBatch({ ...named, orderIds })
    },
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: BATCHES }),
  })
  const choices = [
    { id: NEW, text: text('console.batchNew') },
    ...(open.data?.data ?? []).map((batch) => ({ id: batch.id, text: batchName(texts, batch) })),
  ]
  return (
    <FormDialog
      title={text('console.batchAdd')}
      confirmLabel={text('console.batchAdd')}
      action={add}
      problemText={batchProblemText}
      onConfirm={() => add.mutate()}
      onClose={onClose}
    >
      <p>{text('console.bulkSelected', { count: orders.length })}</p>
      <Select label={text('console.batch')} choices={choices} value={target} onChange={setTarget} />
      {target === NEW ? (
        <TextField label={text('console.batchNameLabel')} maxLength={100} value={name} onChange={setName} />
      ) : null}
      <Refusals error={add.error} />
    </FormDialog>
  )
}

function Refusals({ error }: { error: Error | null }) {
  const { text } = useTexts()
  if (!(error instanceof PlatenError) || error.code !== 'batch_orders_refused') return null
  return (
    <ul className="faults" aria-label={text('console.bulkFailed')}>
      {error.errors.map(({ orderId, orderNumber, code, batchName: other }) => (
        <li key={orderId}>
          <strong>{orderNumber ?? orderId}</strong>{' '}
          {text(REFUSALS[code] ?? 'console.batchNotProducible', { name: other ?? '' })}
        </li>
      ))}
    </ul>
  )
}
