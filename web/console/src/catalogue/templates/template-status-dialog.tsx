import { platen } from '@platen/app/session'
import { StatusDialog } from '../status-dialog.tsx'
import type { TemplateDialogProps } from './template-dialog.tsx'

/** Archives a template or restores it. */
export function TemplateStatusDialog({ template, onClose }: TemplateDialogProps) {
  return (
    <StatusDialog
      subject={template}
      archiving={{
        help: 'consoleCatalogue.archiveTemplateHelp',
        done: 'consoleCatalogue.doneArchive',
        run: async ({ id }) => platen.templates.archive(id),
      }}
      restoring={{
        help: 'consoleCatalogue.restoreTemplateHelp',
        done: 'consoleCatalogue.doneRestoreTemplate',
        run: async ({ id }) => platen.templates.restore(id),
      }}
      onClose={onClose}
    />
  )
}
