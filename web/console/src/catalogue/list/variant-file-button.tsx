import { saveBlob } from '@platen/app/files'
import { platen } from '@platen/app/session'
import type { ListProductsQuery, VariantImport } from '@platen/client'
import { Button, Icon, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CsvImportDialog } from '../../parts/csv-import/csv-import-dialog.tsx'
import { FaultList } from '../../parts/csv-import/fault-list.tsx'
import { catalogueProblemText } from '../catalogue-problem-text.ts'
import { faultText } from '../fault-text.ts'
import { CATALOGUE } from '../queries.ts'

type Status = NonNullable<ListProductsQuery['status']>

/** Changes prices, SKUs, weights and availability of many variants in a spreadsheet, and adds products. */
export function VariantFileButton({ status }: { status: Status }) {
  const { text } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <Icon name="upload" size={18} />
        {text('consoleCatalogue.pricesAsCsv')}
      </Button>
      {isOpen ? <VariantFileDialog status={status} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

/** Two thousand lines can change hundreds of products. */
const TIMEOUT_MS = 120_000

const send = (file: Blob, dryRun: 'true' | 'false'): Promise<VariantImport> =>
  Promise.resolve(
    platen.products.importVariants(file, { contentType: 'text/csv', query: { dryRun }, timeoutMs: TIMEOUT_MS }),
  )

function VariantFileDialog({ status, onClose }: { status: Status; onClose(): void }) {
  const texts = useTexts()
  const { text } = texts
  return (
    <CsvImportDialog
      title={text('consoleCatalogue.pricesAsCsv')}
      help={<ExportHelp status={status} />}
      confirmLabel={(count) => text('consoleCatalogue.importVariants', { count })}
      pendingLabel={text('consoleCatalogue.importing')}
      send={send}
      queryKey={CATALOGUE}
      isAllOrNothing
      problemText={catalogueProblemText}
      summary={({ dryRun, counts, newProducts }) =>
        text(dryRun ? 'consoleCatalogue.importChecked' : 'consoleCatalogue.imported', { ...counts, newProducts })
      }
      onClose={onClose}
    >
      {({ lines }) => (
        <FaultList
          lines={lines.flatMap(({ line, variant, newProduct, outcome, errors = [] }) =>
            outcome === 'faulty' ? [{ line, subject: newProduct ?? variant, errors }] : [],
          )}
          faultText={(fault) => faultText(texts, fault)}
        />
      )}
    </CsvImportDialog>
  )
}

/** Spreadsheets in languages with a decimal comma separate fields by semicolons. */
const formOf = (locale: string): 'comma' | 'semicolon' =>
  new Intl.NumberFormat(locale).format(1.5).includes(',') ? 'semicolon' : 'comma'

function ExportHelp({ status }: { status: Status }) {
  const texts = useTexts()
  const { text, formats } = texts
  const download = useMutation<Response, Error>({
    mutationFn: () =>
      platen.products.exportVariants({ status, format: formOf(formats.locale) }, { timeoutMs: TIMEOUT_MS }),
    onSuccess: async (response) => saveBlob(`variants-${status}.csv`, await response.blob()),
  })
  return (
    <>
      <p className="page-help">{text('consoleCatalogue.csvHelp')}</p>
      <p className="page-help">{text('consoleCatalogue.csvNewHelp')}</p>
      {download.error === null ? null : <p className="pl-field-error">{catalogueProblemText(texts, download.error)}</p>}
      <Button isPending={download.isPending} onPress={() => download.mutate()}>
        <Icon name="download" size={18} />
        {text('consoleCatalogue.exportVariants')}
      </Button>
    </>
  )
}
