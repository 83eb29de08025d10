import type { OwnUser } from '@platen/client'
import { Button, Icon, Menu, type MenuAction, useTexts } from '@platen/ui'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { mayUse } from '../../access/may-use.ts'
import { type Shortcut, useShortcuts } from '../../keys/shortcuts.ts'
import { NotPossible } from '../actions/bar/not-possible.tsx'
import { AddToBatchDialog } from '../batches/add-to-batch-dialog.tsx'
import { PRINT_FORMATS, PrintFilesDialog } from '../print-files/print-files-dialog.tsx'
import { type BulkAction, keysOf, textOf } from './bulk-actions.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { useBulkOffers } from './use-bulk-offers.ts'
import { usePickLists } from './use-pick-lists.ts'
import { MOST_SELECTED, type Selection } from './use-selection.ts'

type Opened = BulkAction | 'batch' | 'zip' | 'pdf'

/** What can be done with the selected orders: the next step as a button, the rest in a menu. */
export function BulkBar({ selection, user }: { selection: Selection; user: OwnUser }) {
  const { text } = useTexts()
  const [opened, setOpened] = useState<Opened>()
  const pickLists = usePickLists(selection.orders)
  const count = selection.orders.length
  const { main, others, refused } = useBulkOffers(selection.orders, user)
  const item = (id: Opened, title: string): MenuAction => ({ id, text: title, onAction: () => setOpened(id) })
  useShortcuts(count === 0 ? [] : shortcutsOf())
  const actions: (MenuAction | null)[] = [
    ...others.map(({ action, title }) => item(action, title)),
    ...(others.length === 0 ? [] : [null]),
    ...(mayUse(user, 'production:write') ? [item('batch', text('console.batchAdd'))] : []),
    { id: 'pick-lists', text: text('console.pickLists'), onAction: () => pickLists.mutate() },
    item('zip', text(PRINT_FORMATS.zip)),
    item('pdf', text(PRINT_FORMATS.pdf)),
  ]

  function shortcutsOf(): Shortcut[] {
    const open = (id: Opened) => () => setOpened(id)
    return [
      ...(main === undefined
        ? []
        : [{ keys: 'b b', title: 'console.shortcutNextStepOfSelected' as const, moves: true, run: open(main) }]),
      ...[main, ...others.map(({ action }) => action)].flatMap((action) =>
        action === undefined ? [] : [{ keys: keysOf(action), title: textOf(action), run: open(action) }],
      ),
      ...(mayUse(user, 'production:write')
        ? [{ keys: 'b a', title: 'console.batchAdd' as const, run: open('batch') }]
        : []),
      { keys: 'b l', title: 'console.pickLists', run: () => pickLists.mutate() },
      { keys: 'b z', title: PRINT_FORMATS.zip, run: open('zip') },
      { keys: 'b f', title: PRINT_FORMATS.pdf, run: open('pdf') },
      { keys: 'b c', title: 'console.bulkClear', run: selection.clear },
    ]
  }

  return (
    <div className="bulk-bar">
      <span role="status">
        {count === 0 ? '' : text('console.bulkSelected', { count })}
        {selection.isFull ? ` · ${text('console.bulkFull', { count: MOST_SELECTED })}` : ''}
      </span>
      {count === 0 ? null : (
        <>
          {main === undefined ? null : (
            <Button look="primary" onPress={() => setOpened(main)}>
              {text(textOf(main))}
            </Button>
          )}
          <Menu
            aria-label={text('console.bulkMore')}
            placement="bottom start"
            actions={actions}
            trigger={
              <Button isPending={pickLists.isPending}>
                {text('console.bulkMore')}
                <Icon name="chevron-down" size={18} />
              </Button>
            }
          />
          <NotPossible refused={refused} />
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
