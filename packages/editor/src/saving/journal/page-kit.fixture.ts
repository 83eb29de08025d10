// Runs in the test pages: an editor without its views.
import type { DesignDocument } from '@platen/drawing'
import { createStore, entries, set } from 'idb-keyval'
import { createPlaten } from '../../../../client/src/index.ts'
import { addLayers, changeLayers, type EditorLayer, layersOf } from '../../document/layers.ts'
import { emptyState, rect } from '../../factory.ts'
import { createEditorStore } from '../../state/editor-store.ts'
import { createSaver } from '../saver/create-saver.ts'
import { contentOf } from '../saver/versions.ts'
import type { JournalEntry } from './journal-entry.ts'
import { type JournalOptions, openJournal } from './open-journal.ts'

export { openJournal }

export const SERVICE = 'https://print.example.com'

/** On a busy computer, the browser takes longer to read and to end a tab than an editor waits. */
export const PATIENT = { readMs: 60_000, leavingMs: 60_000 }

export const place = (more: Partial<JournalOptions> = {}): JournalOptions => ({
  ...{ serviceUrl: SERVICE, customerId: 'cus_1', designId: 'dsn_1', ...PATIENT },
  ...more,
})

/** An entry that adds layers to an empty design. */
export function entryOf(ids: readonly string[], more: object = {}) {
  const base = contentOf(emptyState())
  const mine = contentOf(emptyState(ids.map((id) => rect(id))))
  return { revision: 1, base, mine, sent: [], at: Date.now(), ...more }
}

/** Stores an entry in a journal that stays open as long as the page. */
export async function keep(options: JournalOptions, ids: readonly string[], more: object = {}) {
  const journal = openJournal(options)
  await journal.takeOver()
  journal.keep(entryOf(ids, more))
  return journal
}

/** Opens a journal, and returns the ids of the layers that it has taken over. */
export async function takeOver(options: JournalOptions): Promise<string[] | undefined> {
  const journal = openJournal(options)
  const entry = await journal.takeOver()
  if (entry === 'unread') throw new Error('The entries could not be read.')
  return entry && idsOfEntry(entry)
}

export const idsOfEntry = ({ mine }: JournalEntry): string[] => idsOf(mine.document)

export const idsOf = (document: DesignDocument): string[] => layersOf(document, 'front').map(({ id }) => id)

const store = () => createStore('platen-editor', 'journal')

export const stored = async (): Promise<[unknown, unknown][]> => entries(store())

/** Counts the tabs of which something is stored. */
export const countStored = async (): Promise<number> =>
  new Set((await stored()).map(([key]) => JSON.stringify((key as string[]).slice(0, 4)))).size

/** Waits until the journals of all designs have so many entries. */
export async function untilStored(count: number): Promise<void> {
  while ((await countStored()) !== count) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Waits until the journals have all the given texts, such as ids of layers. */
export async function untilKept(...texts: string[]): Promise<void> {
  const isKept = async () => {
    const all = JSON.stringify(await stored())
    return texts.every((text) => all.includes(JSON.stringify(text)))
  }
  while (!(await isKept())) await new Promise((resolve) => setTimeout(resolve, 10))
}

export const storeRaw = (key: string[], value: unknown): Promise<void> => set(key, value, store())

export interface Opening {
  url: string
  token: string
  designId: string
}

/** Opens an editor of a design. */
export async function openEditor({ url, token, designId }: Opening) {
  const client = createPlaten({ url, auth: { token } })
  const { data: design, etag = '' } = await client.designs.get(designId).withResponse()
  const document = design.document as DesignDocument
  const editorStore = createEditorStore({ ...emptyState(), design, document })
  const journal = openJournal({ serviceUrl: url, customerId: design.customerId, designId, ...PATIENT })
  const saver = createSaver({ store: editorStore, client, opened: { design, etag }, journal })
  await saver.start()
  return {
    ...{ saver, journal, client, store: editorStore },
    add: (id: string) => editorStore.edit((present) => addLayers(present, 'front', [rect(id)])),
    set: (id: string, fields: object) =>
      editorStore.edit((present) => changeLayers(present, [id], (layer) => ({ ...layer, ...fields }) as EditorLayer)),
    rename: (name: string) => editorStore.set({ design: { ...editorStore.get().design, name } }),
    state: () => ({
      ids: idsOf(editorStore.get().document),
      layers: layersOf(editorStore.get().document, 'front'),
      name: editorStore.get().design.name,
      save: editorStore.get().save.kind,
      notices: saver.get().notices,
      problem: saver.get().problem?.code,
      values: saver.get().problem?.values,
      conflicts: saver.get().conflicts.length,
      canUndo: editorStore.get().canUndo,
    }),
  }
}
