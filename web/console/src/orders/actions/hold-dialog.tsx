import { platen } from '@platen/app/session'
import type { Order } from '@platen/client'
import { type MessageKey, Select, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { ActionDialog } from './action-dialog.tsx'
import type { DialogProps } from './dialog-props.ts'
import { useOrderAction } from './use-order-action.ts'

type Resolution = NonNullable<Order['hold']>['resolution']

const RESOLUTIONS: Readonly<Record<Resolution, MessageKey>> = {
  answer: 'console.resolutionAnswer',
  address: 'console.resolutionAddress',
  confirmation: 'console.resolutionConfirmation',
  none: 'console.resolutionNone',
}

export function HoldDialog({ order, onClose }: DialogProps) {
  const { text } = useTexts()
  const [reason, setReason] = useState('')
  const [resolution, setResolution] = useState<Resolution>('answer')
  const hold = useOrderAction(
    order,
    (ifUnchanged) => platen.orders.hold(order.id, { reason: reason.trim(), resolution }, ifUnchanged),
    {
      done: text('console.doneHold', { number: order.number }),
      onDone: onClose,
      undo: (ifUnchanged) => platen.orders.release(order.id, ifUnchanged),
    },
  )
  return (
    <ActionDialog
      order={order}
      title={text('console.actionHold')}
      confirmLabel={text('console.actionHold')}
      isDisabled={reason.trim() === ''}
      action={hold}
      onConfirm={() => hold.mutate()}
      onClose={onClose}
    >
      <TextField
        label={text('console.reason')}
        description={text('console.holdReasonHelp')}
        rows={3}
        maxLength={1000}
        value={reason}
        onChange={setReason}
        isRequired
        autoFocus
      />
      <Select
        label={text('console.holdResolution')}
        choices={(Object.keys(RESOLUTIONS) as Resolution[]).map((id) => ({ id, text: text(RESOLUTIONS[id]) }))}
        value={resolution}
        onChange={(value) => setResolution(value as Resolution)}
      />
    </ActionDialog>
  )
}
