import type { ProblemText } from '@platen/app/frame'
import { Banner, Button, Dialog, ProgressBar, useTexts } from '@platen/ui'
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FileDrop } from './file-drop.tsx'

/** What every report of an import states. */
interface Report {
  counts: { ready: number; faulty: number }
  ignoredColumns: readonly string[]
}

export interface CsvImportDialogProps<Result extends Report> {
  title: string
  /** Which columns the file has. */
  help: ReactNode
  /** Names what the import does, such as "Ship 3 orders". */
  confirmLabel(ready: number): string
  /** Is shown while the import runs. */
  pendingLabel: string
  send(file: File, dryRun: 'true' | 'false'): Promise<Result>
  /** Imports a checked file in parts, and says after each how much of it is done. Default: `send`, in one piece. */
  sendParts?(file: File, checked: Result, onProgress: (share: number) => void): Promise<Result>
  /** Queries whose keys begin with this read again what they show. */
  queryKey: QueryKey
  /** Whether a faulty line keeps the others from being imported. */
  isAllOrNothing?: boolean
  problemText: ProblemText
  /** Says what the import has done or would do. */
  summary(report: Result): string
  /** The faulty lines. */
  children(report: Result): ReactNode
  onClose(): void
}

/** Imports a CSV file, after it has shown what each line would do. */
export function CsvImportDialog<Result extends Report>(props: CsvImportDialogProps<Result>) {
  const { title, send, sendParts, queryKey, isAllOrNothing = false, problemText, onClose } = props
  const texts = useTexts()
  const { text } = texts
  const client = useQueryClient()
  const [file, setFile] = useState<File>()
  const [share, setShare] = useState<number>()
  const check = useMutation<Result, Error, File>({ mutationFn: (chosen) => send(chosen, 'true') })
  const run = useMutation<Result, Error, File>({
    mutationFn: (chosen) =>
      sendParts === undefined || check.data === undefined
        ? send(chosen, 'false')
        : sendParts(chosen, check.data, setShare),
    onMutate: () => setShare(sendParts === undefined ? undefined : 0),
    // Parts before the failed one are imported, so the check states what is left.
    onError: (_error, chosen) => check.mutate(chosen),
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
  const choose = (chosen: File): void => {
    run.reset()
    setFile(chosen)
    check.mutate(chosen)
  }
  const report = run.data ?? check.data
  const error = run.error ?? check.error
  const isPending = check.isPending || run.isPending
  const ready = run.data === undefined ? (check.data?.counts.ready ?? 0) : 0
  const isRefused = isAllOrNothing && (check.data?.counts.faulty ?? 0) > 0
  return (
    <Dialog
      title={title}
      isOpen
      staysOpen={file !== undefined}
      onClose={isPending ? undefined : onClose}
      closeLabel={text('common.close')}
      size="large"
      footer={
        <>
          <Button isDisabled={isPending} onPress={onClose}>
            {text(run.data === undefined ? 'common.cancel' : 'common.close')}
          </Button>
          <Button
            look="primary"
            isPending={run.isPending}
            isDisabled={ready === 0 || isPending || isRefused}
            onPress={() => file !== undefined && run.mutate(file)}
          >
            {props.confirmLabel(isRefused ? 0 : ready)}
          </Button>
        </>
      }
    >
      <div className="form">
        <div>{props.help}</div>
        <FileDrop name={file?.name} isDisabled={isPending} onFile={choose} />
        {isPending ? (
          <ProgressBar
            label={run.isPending ? props.pendingLabel : text('console.importChecking')}
            {...(run.isPending && share !== undefined ? { value: 100 * share } : { isIndeterminate: true })}
          />
        ) : null}
        {error === null ? null : (
          <Banner tone="danger" isLive>
            {problemText(texts, error)}
          </Banner>
        )}
        {report === undefined || isPending ? null : (
          <>
            <Banner tone={report.counts.faulty > 0 ? 'warning' : 'good'} isLive>
              {props.summary(report)}
            </Banner>
            {report.ignoredColumns.length === 0 ? null : (
              <p className="note">{text('console.importIgnored', { columns: report.ignoredColumns.join(', ') })}</p>
            )}
            {props.children(report)}
          </>
        )}
      </div>
    </Dialog>
  )
}
