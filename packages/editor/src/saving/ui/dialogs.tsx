import { type DialogProgram, LazyDialog } from '../../lazy/lazy-dialog.tsx'
import type { MergeConflict } from '../merge/merge-types.ts'
import type { ConflictDialogProps } from './conflict-dialog.tsx'
import type { RevisionsDialogProps } from './revisions-dialog.tsx'
import { useSaving } from './use-saving.ts'

const REVISIONS: DialogProgram<RevisionsDialogProps> = {
  load: async () => (await import('./revisions-dialog.tsx')).RevisionsDialog,
}
const CONFLICT: DialogProgram<ConflictDialogProps> = {
  load: async () => (await import('./conflict-dialog.tsx')).ConflictDialog,
}

/** Shows earlier versions of the design. */
export function Revisions(props: RevisionsDialogProps) {
  return <LazyDialog title="revisions" program={REVISIONS} with={props} />
}

/** Asks which changes stay while the saver waits for this. Closing the dialog keeps the own changes. */
export function Conflicts() {
  const { saving, saver } = useSaving()
  const { conflicts } = saving
  if (conflicts.length === 0) return null
  const props = { conflicts, onClose: () => saver.decide(new Map()) }
  const texts = { title: 'conflictTitle', decision: 'conflictKeepAll' } as const
  return <LazyDialog key={keyOf(conflicts)} {...texts} program={CONFLICT} with={props} />
}

/** Another merge begins with the choices of its own. */
const keyOf = (conflicts: readonly MergeConflict[]): string => conflicts.map(({ id }) => id).join(' ')
