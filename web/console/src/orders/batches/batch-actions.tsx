import { saveBlob } from '@platen/app/files'
import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { Batch, OwnUser } from '@platen/client'
import { Button, Icon, Menu, useTexts } from '@platen/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { mayUse } from '../../access/may-use.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { BulkDialog } from '../bulk/bulk-dialog.tsx'
import { PRINT_FORMATS, PrintFilesDialog } from '../print-files/print-files-dialog.tsx'
import { ImportDialog } from '../shipment-import/import-dialog.tsx'
import { BATCHES } from './queries.ts'

type Opened = 'start' | 'zip' | 'pdf' | 'import' | 'close'

/** What can be done with all orders of a batch. The same operations act on orders that are selected in the table. */
export function BatchActions({ batch, user }: { batch: Batch; user: OwnUser }) {
  const { text } = useTexts()
  const [opened, setOpened] = useState<Opened>()
  const onClose = (): void => setOpened(undefined)
  const orders = batch.orders.map(({ orderId: id, orderNumber: number, ...order }) => ({ id, number, ...order }))
  const toStart = orders.filter(({ status }) => status === 'confirmed')
  const toShip = orders.filter(({ status }) => status === 'in_production' || status === 'partially_shipped')
  const mayProduce = mayUse(user, 'production:write')
  const open = (id: Opened) => () => setOpened(id)
  useShortcuts([
    ...(mayProduce && toStart.length > 0
      ? [{ keys: 'b p', title: 'console.batchStart' as const, values: { count: toStart.length }, run: open('start') }]
      : []),
    { keys: 'b z', title: PRINT_FORMATS.zip, run: open('zip') },
    { keys: 'b f', title: PRINT_FORMATS.pdf, run: open('pdf') },
    ...(mayUse(user, 'shipping:write')
      ? [{ keys: 'i', title: 'console.importShipments' as const, run: open('import') }]
      : []),
    ...(mayProduce && batch.status === 'open'
      ? [{ keys: 'b e', title: 'console.batchClose' as const, run: open('close') }]
      : []),
  ])
  return (
    <div className="actions main-actions">
      {mayProduce && toStart.length > 0 ? (
        <Button look="primary" onPress={() => setOpened('start')}>
          {text('console.batchStart', { count: toStart.length })}
        </Button>
      ) : null}
      <Downloads batch={batch} onOpen={setOpened} />
      {mayUse(user, 'shipping:write') ? (
        <Button onPress={() => setOpened('import')}>{text('console.importShipments')}</Button>
      ) : null}
      {mayProduce && batch.status === 'open' ? (
        <Button onPress={() => setOpened('close')}>{text('console.batchClose')}</Button>
      ) : null}
      {opened === 'start' ? (
        <BulkDialog action="start_production" orders={toStart} onClose={onClose} onDone={onClose} />
      ) : null}
      {opened === 'zip' || opened === 'pdf' ? (
        <PrintFilesDialog format={opened} orders={orders} onClose={onClose} />
      ) : null}
      {opened === 'import' ? <ImportDialog numbers={toShip.map(({ number }) => number)} onClose={onClose} /> : null}
      {opened === 'close' ? <CloseDialog batch={batch} onClose={onClose} /> : null}
    </div>
  )
}

/** Pick lists of one file, which the service limits. */
const PICK_LISTS_AT_ONCE = 50

/** Saves print files and pick lists, the latter in several files for a large batch. */
function Downloads({ batch: { id, orderCount }, onOpen }: { batch: Batch; onOpen(format: 'zip' | 'pdf'): void }) {
  const texts = useTexts()
  const { text } = texts
  const pickLists = useMutation({
    mutationFn: async () => {
      for (let offset = 0; offset < orderCount; offset += PICK_LISTS_AT_ONCE) {
        const pdf = await platen.production.getBatchPickLists(id, { offset })
        saveBlob(`pick-lists-${offset + 1}.pdf`, await pdf.blob())
      }
    },
    onError: (error) => notices.add({ text: problemText(texts, error), tone: 'danger' }),
  })
  useShortcuts([{ keys: 'b l', title: 'console.pickLists', run: () => pickLists.mutate() }])
  return (
    <Menu
      aria-label={text('console.batchDownload')}
      placement="bottom start"
      actions={[
        { id: 'pick-lists', text: text('console.pickLists'), onAction: () => pickLists.mutate() },
        { id: 'zip', text: text(PRINT_FORMATS.zip), onAction: () => onOpen('zip') },
        { id: 'pdf', text: text(PRINT_FORMATS.pdf), onAction: () => onOpen('pdf') },
      ]}
      trigger={
        <Button isPending={pickLists.isPending}>
          <Icon name="download" size={18} />
          {text('console.batchDownload')}
          <Icon name="chevron-down" size={18} />
        </Button>
      }
    />
  )
}

function CloseDialog({ batch: { id }, onClose }: { batch: Batch; onClose(): void }) {
  const { text } = useTexts()
  const client = useQueryClient()
  const close = useMutation({
    mutationFn: async () => platen.production.closeBatch(id),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: BATCHES }),
  })
  return (
    <FormDialog
      title={text('console.batchClose')}
      confirmLabel={text('console.batchClose')}
      action={close}
      problemText={problemText}
      onConfirm={() => close.mutate()}
      onClose={onClose}
    >
      <p>{text('console.batchCloseHelp')}</p>
    </FormDialog>
  )
}
