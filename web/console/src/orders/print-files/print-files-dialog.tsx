import { Banner, Button, Dialog, type MessageKey, ProgressBar, useTexts } from '@platen/ui'
import { useState } from 'react'
import { problemText } from '../../shell/problem-text.ts'
import { type PrintFault, type PrintFormat, usePrintFiles } from './use-print-files.ts'

export const PRINT_FORMATS: Readonly<Record<PrintFormat, MessageKey>> = {
  zip: 'console.printFilesZip',
  pdf: 'console.printFilesPdf',
}

const FAULTS: Readonly<Record<string, MessageKey>> = {
  order_not_found: 'console.failureUnknown',
  order_erased: 'console.printFaultErased',
  order_not_produced: 'console.printFaultNotProduced',
  item_files_pending: 'console.printFaultPending',
  item_files_failed: 'console.printFaultFailed',
  item_files_missing: 'console.printFaultMissing',
  printing_condition_differs: 'console.printFaultCondition',
}

export interface PrintFilesDialogProps {
  format: PrintFormat
  orders: readonly { id: string; number: string }[]
  onClose(): void
}

/**
 * Downloads the print files of orders. If some are missing, it names each order, and the operator decides whether to go
 * on without them: nothing is left out of a print run unseen.
 */
export function PrintFilesDialog({ format, orders: given, onClose }: PrintFilesDialogProps) {
  const texts = useTexts()
  const { text } = texts
  const [orders] = useState(given)
  const { download, progress, faults } = usePrintFiles(format)
  const faulty = new Set(faults.map(({ orderId }) => orderId))
  const wanted = orders.filter(({ id }) => !faulty.has(id))
  const label =
    faults.length === 0 ? text('console.printDownload') : text('console.printOthers', { count: wanted.length })
  return (
    <Dialog
      title={text(PRINT_FORMATS[format])}
      isOpen
      staysOpen
      onClose={onClose}
      closeLabel={text('common.close')}
      footer={
        download.isSuccess ? (
          <Button look="primary" onPress={onClose}>
            {text('common.close')}
          </Button>
        ) : (
          <Button
            look="primary"
            isPending={download.isPending}
            isDisabled={wanted.length === 0}
            onPress={() => download.mutate(wanted.map(({ id }) => id))}
          >
            {label}
          </Button>
        )
      }
    >
      <div className="form">
        <p>{text('console.bulkSelected', { count: orders.length })}</p>
        {download.isPending ? (
          <ProgressBar
            label={text('console.bulkProgress')}
            {...(progress === undefined ? { isIndeterminate: true } : { value: progress })}
          />
        ) : null}
        {download.isSuccess ? <p role="status">{text('console.printSaved')}</p> : null}
        {faults.length > 0 ? <Faults faults={faults} /> : null}
        {download.error === null || faults.length > 0 ? null : (
          <Banner tone="danger" isLive>
            {problemText(texts, download.error)}
          </Banner>
        )}
      </div>
    </Dialog>
  )
}

function Faults({ faults }: { faults: readonly PrintFault[] }) {
  const { text } = useTexts()
  return (
    <>
      <p role="alert">{text('console.printIncomplete')}</p>
      <ul className="faults" aria-label={text('console.bulkFailed')}>
        {faults.map(({ orderId, orderNumber, code }) => (
          <li key={`${orderId} ${code}`}>
            <strong>{orderNumber ?? orderId}</strong> {text(FAULTS[code] ?? 'console.printFaultMissing')}
          </li>
        ))}
      </ul>
    </>
  )
}
