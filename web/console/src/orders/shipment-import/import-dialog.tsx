import { platen } from '@platen/app/session'
import type { ShipmentImport } from '@platen/client'
import { useTexts } from '@platen/ui'
import { CsvImportDialog } from '../../parts/csv-import/csv-import-dialog.tsx'
import { FaultList } from '../../parts/csv-import/fault-list.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { failureText } from '../bulk/failure-text.ts'
import { ORDERS } from '../queries.ts'

/** A file with a thousand orders can take a minute. */
const TIMEOUT_MS = 120_000

const send = (file: Blob, dryRun: 'true' | 'false'): Promise<ShipmentImport> =>
  Promise.resolve(
    platen.production.importShipments(file, { contentType: 'text/csv', query: { dryRun }, timeoutMs: TIMEOUT_MS }),
  )

/** Ships the orders of a CSV file. */
export function ImportDialog({ onClose }: { onClose(): void }) {
  const texts = useTexts()
  const { text } = texts
  return (
    <CsvImportDialog
      title={text('console.importShipments')}
      help={<p>{text('console.importHelp')}</p>}
      confirmLabel={(count) => text('console.importShip', { count })}
      pendingLabel={text('console.importShipping')}
      send={send}
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
