import { type MessageKey, useTexts } from '@platen/ui'
import { useState } from 'react'
import { FormDialog } from '../parts/form/form-dialog.tsx'
import { useGuardedAction } from '../parts/use-guarded-action.ts'
import { catalogueProblemText } from './catalogue-problem-text.ts'
import { CATALOGUE } from './queries.ts'

/** A product or a template. */
export interface Archivable {
  id: string
  name: string
  status: 'active' | 'archived'
}

/** What is said about archiving one kind of records, or about restoring it. Texts get the `name`. */
interface Change<Subject> {
  help: MessageKey
  done: MessageKey
  run(subject: Subject): Promise<unknown>
}

export interface StatusDialogProps<Subject extends Archivable> {
  subject: Subject
  archiving: Change<Subject>
  restoring: Change<Subject>
  onClose(): void
}

/** Archives a record of the catalogue, or restores it. */
export function StatusDialog<Subject extends Archivable>(props: StatusDialogProps<Subject>) {
  const { text } = useTexts()
  // The record changes while the dialog closes, and its words must not.
  const [subject] = useState(props.subject)
  const { name } = subject
  const isActive = subject.status === 'active'
  const { help, done, run } = isActive ? props.archiving : props.restoring
  const change = useGuardedAction(CATALOGUE, () => run(subject), { done: text(done, { name }), onDone: props.onClose })
  const title = text(isActive ? 'consoleCatalogue.archive' : 'consoleCatalogue.restore')
  return (
    <FormDialog
      title={title}
      confirmLabel={title}
      problemText={catalogueProblemText}
      action={change}
      onConfirm={() => change.mutate()}
      onClose={props.onClose}
    >
      <p>{text(help, { name })}</p>
    </FormDialog>
  )
}
