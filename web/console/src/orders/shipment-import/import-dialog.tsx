import { platen } from '@platen/app/session'
import type { ShipmentImport } from '@platen/client'
import { Banner, Button, Dialog, ProgressBar, useTexts } from '@platen/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { problemText } from '../../shell/problem-text.ts'
import { ORDERS } from '../queries.ts'
import { FileDrop } from './file-drop.tsx'
import { ImportReport } from './import-report.tsx'

/** A file with a thousand orders can take a minute. */
const TIMEOUT_MS = 120_000

const send = (file: Blob, dryRun: 'true' | 'false'): Promise<ShipmentImport> =>
  Promise.resolve(
    platen.production.importShipments(file, { contentType: 'text/csv', query: { dryRun }, timeoutMs: TIMEOUT_MS }),
  )

/** Ships the orders of a CSV file, after it has shown what each line would do. */
export function ImportDialog({ onClose }: { onClose(): void }) {
  const texts = useTexts()
  const { text } = texts
  const client = useQueryClient()
  const [file, setFile] = useState<File>()
  const check = useMutation({ mutationFn: (chosen: File) => send(chosen, 'true') })
  const ship = useMutation({
    mutationFn: (chosen: File) => send(chosen, 'false'),
    onSettled: () => client.invalidateQueries({ queryKey: ORDERS }),
  })
  const choose = (chosen: File): void => {
    ship.reset()
    setFile(chosen)
    check.mutate(chosen)
  }
  const report = ship.data ?? check.data
  const error = ship.error ?? check.error
  const isPending = check.isPending || ship.isPending
  const ready = ship.data === undefined ? (check.data?.counts.ready ?? 0) : 0
  return (
    <Dialog
      title={text('console.importShipments')}
      isOpen
      staysOpen={file !== undefined}
      onClose={isPending ? undefined : onClose}
      closeLabel={text('common.close')}
      size="large"
      footer={
        <Button
          look="primary"
          isPending={ship.isPending}
          isDisabled={ready === 0 || isPending}
          onPress={() => file !== undefined && ship.mutate(file)}
        >
          {text('console.importShip', { count: ready })}
        </Button>
      }
    >
      <div className="form">
        <p>{text('console.importHelp')}</p>
        <FileDrop name={file?.name} isDisabled={isPending} onFile={choose} />
        {isPending ? (
          <ProgressBar
            isIndeterminate
            label={text(ship.isPending ? 'console.importShipping' : 'console.importChecking')}
          />
        ) : null}
        {error === null ? null : (
          <Banner tone="danger" isLive>
            {problemText(texts, error)}
          </Banner>
        )}
        {report === undefined || isPending ? null : <ImportReport report={report} />}
      </div>
    </Dialog>
  )
}
