import { platen } from '@platen/app/session'
import type { Product } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { StatusDialog } from '../status-dialog.tsx'

const unchanged = ({ revision }: Product) => ({ ifMatch: `"${revision}"` })

/** Archives a product or restores it. */
export function StatusButton({ product, isDisabled }: { product: Product; isDisabled: boolean }) {
  const { text } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const title = product.status === 'active' ? 'consoleCatalogue.archive' : 'consoleCatalogue.restore'
  useShortcuts(isDisabled ? [] : [{ title, run: () => setOpen(true) }])
  return (
    <>
      <Button isDisabled={isDisabled} onPress={() => setOpen(true)}>
        {text(title)}
      </Button>
      {isOpen ? (
        <StatusDialog
          subject={product}
          archiving={{
            help: 'consoleCatalogue.archiveHelp',
            done: 'consoleCatalogue.doneArchive',
            run: async (one) => platen.products.archive(one.id, unchanged(one)),
          }}
          restoring={{
            help: 'consoleCatalogue.restoreHelp',
            done: 'consoleCatalogue.doneRestore',
            run: async (one) => platen.products.restore(one.id, unchanged(one)),
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  )
}
