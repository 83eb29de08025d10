import { platen } from '@platen/app/session'
import type { Product } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useState } from 'react'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { catalogueProblemText } from '../catalogue-problem-text.ts'
import { CATALOGUE } from '../queries.ts'

/** Archives a product or restores it. */
export function StatusButton({ product, isDisabled }: { product: Product; isDisabled: boolean }) {
  const { text } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const isActive = product.status === 'active'
  return (
    <>
      <Button isDisabled={isDisabled} onPress={() => setOpen(true)}>
        {text(isActive ? 'consoleCatalogue.archive' : 'consoleCatalogue.restore')}
      </Button>
      {isOpen ? <StatusDialog product={product} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function StatusDialog({ product, onClose }: { product: Product; onClose(): void }) {
  const { text } = useTexts()
  // The product changes while the dialog closes, and its words must not.
  const [{ id, name, status, revision }] = useState(product)
  const isActive = status === 'active'
  const options = { ifMatch: `"${revision}"` }
  const change = useGuardedAction<Product>(
    CATALOGUE,
    async () => (isActive ? await platen.products.archive(id, options) : await platen.products.restore(id, options)),
    {
      done: text(isActive ? 'consoleCatalogue.doneArchive' : 'consoleCatalogue.doneRestore', { name }),
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
      <p>{text(isActive ? 'consoleCatalogue.archiveHelp' : 'consoleCatalogue.restoreHelp', { name })}</p>
    </FormDialog>
  )
}
