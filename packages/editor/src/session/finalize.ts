import type { Design, Platen } from '@platen/client'
import type { NoticeQueue, Texts } from '@platen/ui'
import { countIssues, isNotBegun } from '../document/count-issues.ts'
import type { Panels } from '../panels/index.ts'
import type { Saver } from '../saving/index.ts'
import type { EditorStore } from '../state/editor-store.ts'
import { infoOf } from './initial-state.ts'

export interface FinalizeInput {
  client: Platen
  store: EditorStore
  saver: Saver
  notices: NoticeQueue
  texts: Texts
  panels: Pick<Panels, 'view'>
  events: { finalized(design: Design): void; problem(error: unknown): void }
}

/** Saves and finalizes the design. Shows what stands in the way. */
export async function finalizeDesign(input: FinalizeInput): Promise<void> {
  const { store, notices, texts, events } = input
  const { report, isFinalizing } = store.get()
  if (isFinalizing) return
  store.set({ editing: undefined })
  if (report?.ok === false) return showIssues(input)
  // Nothing may change between the save and the finalization.
  store.set({ isFinalizing: true, isEditable: false })
  const waiting = notices.add({ text: texts.text('editor.finalizingNote') })
  try {
    const data = await finalizeSeen(input)
    if (data === undefined) {
      store.set({ isFinalizing: false, isEditable: store.get().design.status === 'draft' })
      notices.add({ text: texts.text('editor.finalizeChanged'), tone: 'danger' })
      return
    }
    store.set({ design: infoOf(data), isFinalizing: false, selection: [] })
    events.finalized(data)
  } catch (error) {
    store.set({ isFinalizing: false, isEditable: store.get().design.status === 'draft' })
    if (hasCode(error, 'preflight_failed')) return showIssues(input)
    notices.add({ text: texts.text('editor.finalizeFailed'), tone: 'danger' })
    events.problem(error)
  } finally {
    notices.remove(waiting)
  }
}

/** Saves and finalizes what the customer sees. If it was changed elsewhere, shows that in place of finalizing it. */
async function finalizeSeen({ client, store, saver }: FinalizeInput): Promise<Design | undefined> {
  const seen = store.get()
  await saver.flush()
  const { document, design } = store.get()
  const isSeen = document === seen.document && design.variantId === seen.design.variantId
  if (!isSeen) return undefined
  try {
    const { data, etag = '' } = await client.designs.finalize(design.id, { ifMatch: saver.etag() }).withResponse()
    saver.adopt({ design: data, etag })
    return data
  } catch (error) {
    if (!hasCode(error, 'precondition_failed')) throw error
    await saver.refresh()
    return undefined
  }
}

function showIssues({ store, panels, notices, texts }: FinalizeInput): void {
  const { document, report } = store.get()
  const counts = countIssues(report)
  panels.view.show('preflight')
  if (isNotBegun(document, report)) notices.add({ text: texts.text('editor.startHint') })
  // The service may know of a problem that this page does not.
  else if (counts.errors === 0) notices.add({ text: texts.text('editor.finalizeBlocked'), tone: 'danger' })
  else notices.add({ text: texts.text('editor.errorsInTheWay', { ...counts }), tone: 'danger' })
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
