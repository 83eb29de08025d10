import { platen } from '@platen/app/session'
import { NativeSelect, TextField, ToggleButton, ToggleButtonGroup, useTexts } from '@platen/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { catalogueProblemText } from '../catalogue-problem-text.ts'
import { readCategories } from '../categories.ts'
import { allProductsQuery, CATALOGUE, draftsQuery } from '../queries.ts'
import { areWrong, CategoryField } from './category-field.tsx'

type Source = 'draft' | 'empty'

interface WayProps {
  /** Chooses between the two ways. */
  choice: ReactNode
  onClose(): void
}

/** Publishes a draft as a template, or begins a draft in the editor of the shop. */
export function NewTemplateDialog({ onClose }: { onClose(): void }) {
  const { text } = useTexts()
  const [source, setSource] = useState<Source>('draft')
  const choice = (
    <ToggleButtonGroup
      aria-label={text('consoleCatalogue.templateSource')}
      selectedKeys={[source]}
      disallowEmptySelection
      onSelectionChange={(keys) => setSource([...keys][0] === 'empty' ? 'empty' : 'draft')}
    >
      <ToggleButton id="draft">{text('consoleCatalogue.templateDraft')}</ToggleButton>
      <ToggleButton id="empty">{text('consoleCatalogue.templateEmpty')}</ToggleButton>
    </ToggleButtonGroup>
  )
  return source === 'draft' ? (
    <DraftDialog choice={choice} onClose={onClose} />
  ) : (
    <EmptyDialog choice={choice} onClose={onClose} />
  )
}

function DraftDialog({ choice, onClose }: WayProps) {
  const { text } = useTexts()
  const drafts = useQuery(draftsQuery()).data
  const products = useQuery(allProductsQuery()).data ?? []
  const [designId, setDesignId] = useState('')
  const [typedName, setName] = useState<string>()
  const [categories, setCategories] = useState('')
  const name = typedName ?? drafts?.find(({ id }) => id === designId)?.name ?? ''
  const publish = useGuardedAction(
    CATALOGUE,
    () => platen.templates.create({ designId, name: name.trim(), categories: readCategories(categories) }),
    { done: text('consoleCatalogue.doneNewTemplate', { name: name.trim() }), onDone: onClose },
  )
  const titleOf = (draft: { name: string; productId: string }): string =>
    `${draft.name} – ${products.find(({ id }) => id === draft.productId)?.name ?? draft.productId}`
  return (
    <FormDialog
      title={text('consoleCatalogue.newTemplate')}
      confirmLabel={text('consoleCatalogue.publishTemplate')}
      isDisabled={designId === '' || name.trim() === '' || areWrong(categories)}
      problemText={catalogueProblemText}
      action={publish}
      onConfirm={() => publish.mutate()}
      onClose={onClose}
    >
      {choice}
      <NativeSelect
        label={text('consoleCatalogue.templateDesign')}
        description={text(drafts?.length === 0 ? 'consoleCatalogue.noDrafts' : 'consoleCatalogue.templateDraftHelp')}
        choices={(drafts ?? []).map((draft) => ({ id: draft.id, text: titleOf(draft) }))}
        value={designId}
        placeholder={text('consoleCatalogue.chooseDesign')}
        isRequired
        onChange={setDesignId}
      />
      <TextField label={text('consoleCatalogue.name')} value={name} onChange={setName} maxLength={200} isRequired />
      <CategoryField value={categories} onChange={setCategories} />
    </FormDialog>
  )
}

function EmptyDialog({ choice, onClose }: WayProps) {
  const { text } = useTexts()
  const products = (useQuery(allProductsQuery()).data ?? []).filter(({ status }) => status === 'active')
  const [productId, setProductId] = useState('')
  const [name, setName] = useState('')
  const product = products.find(({ id }) => id === productId)
  const variant = product?.variants.find(({ available }) => available) ?? product?.variants[0]
  const begin = useMutation({
    mutationFn: async () => platen.designs.create({ productId, variantId: variant?.id ?? '', name: name.trim() }),
    // The editor is a page of the shop.
    onSuccess: ({ id }) => location.assign(`/designs/${id}`),
  })
  return (
    <FormDialog
      title={text('consoleCatalogue.newTemplate')}
      confirmLabel={text('consoleCatalogue.openEditor')}
      isDisabled={variant === undefined || name.trim() === ''}
      problemText={catalogueProblemText}
      action={begin}
      onConfirm={() => begin.mutate()}
      onClose={onClose}
    >
      {choice}
      <p className="note">{text('consoleCatalogue.templateEmptyHelp')}</p>
      <NativeSelect
        label={text('consoleCatalogue.product')}
        choices={products.map(({ id, name: title }) => ({ id, text: title }))}
        value={productId}
        placeholder={text('consoleCatalogue.chooseTemplateProduct')}
        isRequired
        onChange={setProductId}
      />
      <TextField label={text('consoleCatalogue.name')} value={name} onChange={setName} maxLength={200} isRequired />
    </FormDialog>
  )
}
