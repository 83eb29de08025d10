import type { OwnUser } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { mayUse } from '../../access/may-use.ts'
import { AddToBatchDialog } from '../batches/add-to-batch-dialog.tsx'
import { PRINT_FORMATS, PrintFilesDialog } from '../print-files/print-files-dialog.tsx'
import { type BulkAction, bulkActionsOf, textOf } from './bulk-actions.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { PickListsButton } from './pick-lists-button.tsx'
import type { Selection } from './use-selection.ts'

type Opened = BulkAction | 'batch' | 'zip' | 'pdf'

/** What can be done with the selected orders. */
export function BulkBar({ selection, user }: { selection: Selection; user: OwnUser }) {
  const { text } = useTexts()
  const [opened, setOpened] = useState<Opened>()
  const count = selection.orders.length
  return (
    <div className="bulk-bar">
      <span role="status">{count === 0 ? '' : text('console.bulkSelected', { count })}</span>
      {count === 0 ? null : (
        <>
          {bulkActionsOf(user).map((one) => (
            <Button key={one} onPress={() => setOpened(one)}>
              {text(textOf(one))}
            </Button>
          ))}
          {mayUse(user, 'production:write') ? (
            <Button onPress={() => setOpened('batch')}>{text('console.batchAdd')}</Button>
          ) : null}
          <PickListsButton orders={selection.orders} />
          <Button onPress={() => setOpened('zip')}>{text(PRINT_FORMATS.zip)}</Button>
          <Button onPress={() => setOpened('pdf')}>{text(PRINT_FORMATS.pdf)}</Button>
          <Button look="quiet" onPress={selection.clear}>
            {text('console.bulkClear')}
          </Button>
        </>
      )}
      <OpenedDialog opened={opened} selection={selection} onClose={() => setOpened(undefined)} />
    </div>
  )
}

interface OpenedDialogProps {
  opened: Opened | undefined
  selection: Selection
  onClose(): void
}

function OpenedDialog({ opened, selection: { orders, clear, keep }, onClose }: OpenedDialogProps) {
  const [, navigate] = useLocation()
  switch (opened) {
    case undefined:
      return null
    case 'zip':
    case 'pdf':
      return <PrintFilesDialog format={opened} orders={orders} onClose={onClose} />
    case 'batch':
      return (
        <AddToBatchDialog
          orders={orders}
          onClose={onClose}
          onDone={({ id }) => {
            clear()
            navigate(`/batches/${id}`)
          }}
        />
      )
    default:
      return <BulkDialog action={opened} orders={orders} onClose={onClose} onDone={keep} />
  }
}
