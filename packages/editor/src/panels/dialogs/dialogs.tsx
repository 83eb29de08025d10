import { usePanels, usePanelView } from '../services/use-panels.ts'
import { CsvDialog } from './csv-dialog.tsx'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'

/** The dialogs of the panels. */
export function Dialogs() {
  const { view } = usePanels()
  const { dialog } = usePanelView()
  return (
    <>
      <ShortcutsDialog isOpen={dialog === 'shortcuts'} onClose={view.close} />
      <CsvDialog isOpen={dialog === 'csv'} onClose={view.close} />
    </>
  )
}
