import { platen } from '@platen/app/session'
import type { ListedTemplate } from '@platen/client'
import { TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { catalogueProblemText } from '../catalogue-problem-text.ts'
import { readCategories } from '../categories.ts'
import { CATALOGUE } from '../queries.ts'

export interface TemplateDialogProps {
  template: ListedTemplate
  onClose(): void
}

/** Renames a template, and says under which categories shops list it. */
export function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  const { text } = useTexts()
  const [name, setName] = useState(template.name)
  const [categories, setCategories] = useState(template.categories.join(', '))
  const names = readCategories(categories)
  const areWrong =
    names.length > 20 || new Set(names).size !== names.length || names.some((category) => category.length > 50)
  const change = useGuardedAction(
    CATALOGUE,
    () => platen.templates.change(template.id, { name: name.trim(), categories: names }),
    { done: text('consoleCatalogue.doneTemplate', { name: name.trim() }), onDone: onClose },
  )
  return (
    <FormDialog
      title={text('consoleCatalogue.changeTemplate')}
      confirmLabel={text('consoleCatalogue.saveTemplate')}
      isDisabled={name.trim() === '' || areWrong}
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
      <TextField
        label={text('consoleCatalogue.categories')}
        description={text('consoleCatalogue.categoriesHelp')}
        value={categories}
        onChange={setCategories}
        error={areWrong ? text('consoleCatalogue.faultCategories') : undefined}
      />
    </FormDialog>
  )
}
