import { Button, Icon, ProgressBar } from '@platen/ui'
import { type EditorServices, useEditor } from '../../state/use-editor.ts'
import { useValue } from '../../state/value-store.ts'
import type { UploadProblem } from '../services/upload-problem.ts'
import type { Upload } from '../services/uploads.ts'
import { usePanels } from '../services/use-panels.ts'

/** The uploads that are under way or have failed. */
export function UploadList() {
  const { text } = useEditor()
  const { uploads } = usePanels()
  const list = useValue(uploads)
  if (list.length === 0) return null
  return (
    <ul className="pe-uploads" aria-label={text('uploads')}>
      {list.map((upload) => (
        <UploadItem key={upload.id} upload={upload} />
      ))}
    </ul>
  )
}

function UploadItem({ upload }: { upload: Upload }) {
  const { text, locale } = useEditor()
  const { uploads } = usePanels()
  const { id, name, status, progress, problem } = upload
  return (
    <li className="pe-upload">
      <span className="pe-upload-name" dir="auto">
        {name}
      </span>
      {problem === undefined ? (
        <ProgressBar
          label={text(progress === 1 ? 'uploadChecking' : 'uploadProgress', { name })}
          isLabelHidden
          {...(status === 'waiting' || progress === 1 ? { isIndeterminate: true } : { value: progress * 100 })}
        />
      ) : (
        <p className="pe-problem" role="alert">
          {problemText(problem, text, locale)}
        </p>
      )}
      <div className="pe-row">
        {problem?.canRetry === true ? (
          <Button look="quiet" aria-label={text('retryNamed', { name })} onPress={() => uploads.retry(id)}>
            {text('retry')}
          </Button>
        ) : null}
        <Button
          look="quiet"
          isIcon
          aria-label={text(problem === undefined ? 'cancelUpload' : 'dismissUpload', { name })}
          onPress={() => uploads.cancel(id)}
        >
          <Icon name="close" size={20} />
        </Button>
      </div>
    </li>
  )
}

/** Says why an upload failed. */
export function problemText(problem: UploadProblem, text: EditorServices['text'], locale: string): string {
  const megabytes = (bytes = 0): string =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 }).format(bytes / 1e6)
  const { message, detail = '', usedBytes, quotaBytes } = problem
  return text(message, { detail, used: megabytes(usedBytes), quota: megabytes(quotaBytes) })
}
