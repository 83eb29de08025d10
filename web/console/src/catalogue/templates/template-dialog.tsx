import { platen } from '@platen/app/session'
import type { ListedTemplate } from '@platen/client'
import { TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { catalogueProblemText } from '../catalogue-problem-text.ts'
import { readCategories } from '../categories.ts'
import { CATALOGUE } from '../queries.ts'
import { areWrong, CategoryField } from './category-field.tsx'

export interface TemplateDialogProps {
  template: ListedTemplate
  onClose(): void
}

/** Renames a template, and says under which categories shops list it. */
export function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  const { text } = useTexts()
  const [name, setName] = useState(template.name)
  const [categories, setCategories] = useState(template.categories.join(', '))
  const change = useGuardedAction(
    CATALOGUE,
    () => platen.templates.change(template.id, { name: name.trim(), categories: readCategories(categories) }),
    { done: text('consoleCatalogue.doneTemplate', { name: name.trim() }), onDone: onClose },
  )
  return (
    <FormDialog
      title={text('consoleCatalogue.changeTemplate')}
      confirmLabel={text('consoleCatalogue.saveTemplate')}
      isDisabled={name.trim() === '' || areWrong(categories)}
      problemText={catalogueProblemText}
      action={change}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <TextField
        label={text('consoleCatalogue.name')}
        value={name}
        onChange={setName}
        maxLength={200}
        isRequired
        error={name.trim() === '' ? text('consoleCatalogue.faultRequired') : undefined}
        autoFocus
      />
      <CategoryField value={categories} onChange={setCategories} />
    </FormDialog>
  )
}
