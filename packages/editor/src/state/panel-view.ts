import { createValueStore } from './value-store.ts'

export type PanelId = 'layers' | 'properties' | 'images' | 'preflight' | 'placeholders'
export type DialogId = 'shortcuts' | 'csv'

export interface ShownPanels {
  panel: PanelId | undefined
  dialog: DialogId | undefined
  /** Whether the image that the customer picks takes the place of the selected one. */
  replaces: boolean
  /** The layer whose content is selected, so that typing replaces it. */
  edits: string | undefined
}

interface ShowOptions {
  replaces?: boolean
  edits?: string
}

/** Which panel and which dialog are open. */
export interface PanelView {
  get(): ShownPanels
  subscribe(listener: () => void): () => void
  show(panel: PanelId | undefined, options?: ShowOptions): void
  open(dialog: DialogId): void
  /** Closes the dialog. */
  close(): void
}

export function createPanelView(panel?: PanelId): PanelView {
  const shown = createValueStore<ShownPanels>({ panel, dialog: undefined, replaces: false, edits: undefined })
  return {
    get: shown.get,
    subscribe: shown.subscribe,
    show: (next, { replaces = false, edits } = {}) => shown.set({ ...shown.get(), panel: next, replaces, edits }),
    open: (dialog) => shown.set({ ...shown.get(), dialog }),
    close: () => shown.set({ ...shown.get(), dialog: undefined }),
  }
}
