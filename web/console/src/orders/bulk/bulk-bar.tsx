import type { OwnUser } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useState } from 'react'
import { type BulkAction, bulkActionsOf, textOf } from './bulk-actions.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import type { Selection } from './use-selection.ts'

/** What can be done with the selected orders. */
export function BulkBar({ selection, user }: { selection: Selection; user: OwnUser }) {
  const { text } = useTexts()
  const [action, setAction] = useState<BulkAction>()
  const count = selection.orders.length
  return (
    <div className="bulk-bar">
      <span role="status">{count === 0 ? '' : text('console.bulkSelected', { count })}</span>
      {count === 0 ? null : (
        <>
          {bulkActionsOf(user).map((one) => (
            <Button key={one} onPress={() => setAction(one)}>
              {text(textOf(one))}
            </Button>
          ))}
          <Button look="quiet" onPress={selection.clear}>
            {text('console.bulkClear')}
          </Button>
        </>
      )}
      {action === undefined ? null : (
        <BulkDialog
          action={action}
          orders={selection.orders}
          onClose={() => setAction(undefined)}
          onDone={selection.clear}
        />
      )}
    </div>
  )
}
