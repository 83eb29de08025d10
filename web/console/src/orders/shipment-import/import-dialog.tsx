import { saveBlob } from '@platen/app/files'
import { platen } from '@platen/app/session'
import type { ShipmentImport } from '@platen/client'
import { Button, Icon, type MessageKey, useTexts } from '@platen/ui'
import { CsvImportDialog } from '../../parts/csv-import/csv-import-dialog.tsx'
import { FaultList } from '../../parts/csv-import/fault-list.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { failureText } from '../bulk/failure-text.ts'
import { ORDERS } from '../queries.ts'
import { sendParts } from './send-parts.ts'
import { COLUMNS, templateOf } from './template.ts'

/** A file with a thousand orders can take a minute. */
const TIMEOUT_MS = 120_000

const send = (file: Blob, dryRun: 'true' | 'false'): Promise<ShipmentImport> =>
  Promise.resolve(
    platen.production.importShipments(file, { contentType: 'text/csv', query: { dryRun }, timeoutMs: TIMEOUT_MS }),
  )

export interface ImportDialogProps {
  /** The orders of the template. */
  numbers: readonly string[]
  /** Says which orders these are. */
  numbersHelp?: MessageKey
  onClose(): void
}

/** Ships the orders of a CSV file. */
export function ImportDialog({ numbers, numbersHelp, onClose }: ImportDialogProps) {
  const texts = useTexts()
  const { text } = texts
  return (
    <CsvImportDialog
      title={text('console.importShipments')}
      help={<Help numbers={numbers} numbersHelp={numbersHelp} />}
      confirmLabel={(count) => text('console.importShip', { count })}
      pendingLabel={text('console.importShipping')}
      send={send}
      sendParts={sendParts}
      queryKey={ORDERS}
      problemText={problemText}
      summary={({ dryRun, counts }) => text(dryRun ? 'console.importChecked' : 'console.importShipped', counts)}
      onClose={onClose}
    >
      {({ lines }) => (
        <FaultList
          lines={lines.flatMap(({ line, order, outcome, errors = [] }) =>
            outcome === 'faulty' ? [{ line, subject: order, errors }] : [],
          )}
          faultText={(fault) => failureText(texts, fault)}
        />
      )}
    </CsvImportDialog>
  )
}

/** What the columns mean, and a file to begin with. */
function Help({ numbers, numbersHelp }: Pick<ImportDialogProps, 'numbers'> & { numbersHelp: MessageKey | undefined }) {
  const texts = useTexts()
  const { text } = texts
  return (
    <>
      <p>{text('console.importHelp')}</p>
      <dl className="csv-columns" aria-label={text('console.importColumns')}>
        {COLUMNS.map(({ title, about }) => (
          <div key={title}>
            <dt>{text(title)}</dt>
            <dd>{text(about)}</dd>
          </div>
        ))}
      </dl>
      <Button onPress={() => saveBlob('shipments.csv', templateOf(texts, numbers))}>
        <Icon name="download" size={18} />
        {text('console.importTemplate', { count: numbers.length })}
      </Button>
      {numbersHelp === undefined ? null : <p className="note">{text(numbersHelp)}</p>}
    </>
  )
}
