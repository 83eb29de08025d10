import { platen } from '@platen/app/session'
import type { Order, OrderHold } from '@platen/client'
import { TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { HoldReply } from '../order/holds/hold-reply.tsx'
import { ORDER_STATUS } from '../status.ts'
import { ActionDialog } from './action-dialog.tsx'
import { type DialogProps, optional } from './dialog-props.ts'
import { ifRevision, useOrderAction } from './use-order-action.ts'

export function StartDialog({ order, onClose }: DialogProps) {
  const { text } = useTexts()
  const start = useOrderAction(order, (ifUnchanged) => platen.orders.startProduction(order.id, ifUnchanged), {
    done: text('console.doneStart'),
    onDone: onClose,
  })
  return (
    <ActionDialog
      order={order}
      title={text('console.actionStart')}
      confirmLabel={text('console.actionStart')}
      action={start}
      onConfirm={() => start.mutate()}
      onClose={onClose}
    >
      <p>{text('console.startHelp')}</p>
    </ActionDialog>
  )
}

export function ReleaseDialog({ order, onClose }: DialogProps) {
  const { text } = useTexts()
  const { hold } = order
  const release = useOrderAction(order, (ifUnchanged) => platen.orders.release(order.id, ifUnchanged), {
    done: text('console.doneRelease', { number: order.number }),
    onDone: onClose,
    ...(hold === undefined ? {} : { undo: (ifUnchanged) => platen.orders.hold(order.id, again(hold), ifUnchanged) }),
  })
  return (
    <ActionDialog
      order={order}
      title={text('console.actionRelease')}
      confirmLabel={text('console.actionRelease')}
      action={release}
      onConfirm={() => release.mutate()}
      onClose={onClose}
    >
      <p>{hold?.reason}</p>
      <HoldReply order={order} />
      <p className="note">
        {hold?.statusBefore === undefined
          ? text('console.releaseHelp')
          : text('console.releaseTo', { status: text(ORDER_STATUS[hold.statusBefore].text) })}
      </p>
      {hold?.answeredAt === undefined ? null : <p className="note">{text('console.releaseSilent')}</p>}
    </ActionDialog>
  )
}

const again = ({ reason, resolution }: OrderHold) => ({ reason, resolution })

export function CancelDialog({ order, onClose }: DialogProps) {
  const { text } = useTexts()
  const [reason, setReason] = useState('')
  const cancel = useOrderAction(
    order,
    (ifUnchanged) => platen.orders.cancel(order.id, optional('reason', reason), ifUnchanged),
    {
      done: text('console.doneCancel'),
      onDone: onClose,
    },
  )
  return (
    <ActionDialog
      order={order}
      title={text('console.actionCancel')}
      confirmLabel={text('console.actionCancel')}
      isDanger
      action={cancel}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      <p>{text(order.payment.capturedAt === null ? 'console.cancelHelp' : 'console.cancelHelpPaid')}</p>
      <TextField
        label={text('console.reason')}
        description={text('console.reasonShown')}
        rows={2}
        maxLength={1000}
        value={reason}
        onChange={setReason}
        autoFocus
      />
    </ActionDialog>
  )
}

/** Has the service render the print files of all items again whose files have failed. */
export function RetryFilesDialog({ order, onClose }: DialogProps) {
  const { text } = useTexts()
  const retry = useOrderAction(
    order,
    async (ifUnchanged) => {
      const failed = order.items.filter(
        ({ personalization, data }) =>
          personalization?.status === 'failed' || (personalization === undefined && Object.keys(data ?? {}).length > 0),
      )
      let condition = ifUnchanged
      let result: Order | undefined
      for (const { id } of failed) {
        result = await platen.orders.retryItemFiles(order.id, id, condition)
        condition = ifRevision(result.revision)
      }
      return result
    },
    { done: text('console.doneRetry'), onDone: onClose },
  )
  return (
    <ActionDialog
      order={order}
      title={text('console.actionRetry')}
      confirmLabel={text('console.actionRetry')}
      action={retry}
      onConfirm={() => retry.mutate()}
      onClose={onClose}
    >
      <p>{text('console.retryHelp')}</p>
    </ActionDialog>
  )
}
