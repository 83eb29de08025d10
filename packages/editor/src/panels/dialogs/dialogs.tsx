import { type DialogProgram, LazyDialog } from '../../lazy/lazy-dialog.tsx'
import { usePanels, usePanelView } from '../services/use-panels.ts'

type Program = DialogProgram<{ onClose(): void }>

const CSV: Program = { load: async () => (await import('./csv-dialog.tsx')).CsvDialog }
const SHORTCUTS: Program = { load: async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog }

/** The dialogs of the panels. */
export function Dialogs() {
  const { view } = usePanels()
  const { dialog } = usePanelView()
  const props = { onClose: view.close }
  if (dialog === 'shortcuts') return <LazyDialog title="shortcuts" program={SHORTCUTS} with={props} />
  if (dialog === 'csv') return <LazyDialog title="fillFromCsv" program={CSV} with={props} />
  return null
}
