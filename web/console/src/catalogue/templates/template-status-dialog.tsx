import { platen } from '@platen/app/session'
import { useTexts } from '@platen/ui'
import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { catalogueProblemText } from '../catalogue-problem-text.ts'
import { CATALOGUE } from '../queries.ts'
import type { TemplateDialogProps } from './template-dialog.tsx'

/** Archives a template or restores it. */
export function TemplateStatusDialog({ template, onClose }: TemplateDialogProps) {
  const { text } = useTexts()
  // The template changes while the dialog closes, and its words must not.
  const [{ id, name, status }] = useState(template)
  const isActive = status === 'active'
  const change = useGuardedAction(
    CATALOGUE,
    async () => (isActive ? await platen.templates.archive(id) : await platen.templates.restore(id)),
    {
      done: text(isActive ? 'consoleCatalogue.doneArchive' : 'consoleCatalogue.doneRestoreTemplate', { name }),
      onDone: onClose,
    },
  )
  const title = text(isActive ? 'consoleCatalogue.archive' : 'consoleCatalogue.restore')
  return (
    <FormDialog
      title={title}
      confirmLabel={title}
      problemText={catalogueProblemText}
      action={change}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <p>
        {text(isActive ? 'consoleCatalogue.archiveTemplateHelp' : 'consoleCatalogue.restoreTemplateHelp', { name })}
      </p>
    </FormDialog>
  )
}
