import type { Design, Platen, PreflightReport } from '@platen/client'
import { PlatenError } from '@platen/client'
import { findBrokenLocks, type PlaceholderData } from '@platen/drawing'
import { createNoticeQueue, type NoticeQueue, sideName, type Texts } from '@platen/ui'
import { createPageImages, type PageImages } from '../canvas/painting/page-images.ts'
import { type Engine, fontSource, loadEngine } from '../engine/index.ts'
import { createPanels, type Panels } from '../panels/index.ts'
import { createSaver, openJournal, type Saver } from '../saving/index.ts'
import { createEditorStore, type EditorStore, type StoreRules } from '../state/editor-store.ts'
import type { PageOptions } from '../state/host.ts'
import type { EditorServices } from '../state/use-editor.ts'
import { ACTUAL_PX_PER_MM, zoomView } from '../state/view.ts'
import { finalizeDesign } from './finalize.ts'
import { followReport } from './follow-report.ts'
import { initialState } from './initial-state.ts'
import { type AssetReader, followAssets } from './known-assets.ts'

/** What the element tells the page around it. */
export interface SessionEvents {
  change(design: Design): void
  preflight(report: PreflightReport): void
  saved(revision: number): void
  finalized(design: Design): void
  /** The customer has filled many items from a file. */
  items(items: readonly PlaceholderData[]): void
  /** The work was saved as a new design. */
  copied(design: Design): void
  problem(error: unknown): void
}

export interface SessionInput {
  client: Platen
  /** Origin of the service. */
  serviceUrl: string
  designId: string
  /** Returns the texts of the present language. */
  texts(): Texts
  events: SessionEvents
  page: PageOptions
  signal: AbortSignal
}

/** An open design with everything that works on it. */
export interface EditorSession {
  services: EditorServices
  engine: Engine
  images: PageImages
  panels: Panels
  saver: Saver
  notices: NoticeQueue
  events: SessionEvents
  finalize(): void
  readAssets: AssetReader['read']
  /** Saves what is left, and ends. */
  close(): Promise<void>
}

/**
 * Opens a design.
 *
 * @throws errors of the service, if the design cannot be read
 */
export async function openSession({
  client,
  serviceUrl,
  designId,
  texts,
  events,
  page,
  signal,
}: SessionInput): Promise<EditorSession> {
  const engineLoading = loadEngine(fontSource(client.fonts))
  // A failure is reported where the engine is awaited, not as an unhandled rejection while the design is read.
  engineLoading.catch(() => undefined)
  const { data: design, etag = '' } = await client.designs.get(designId, { signal }).withResponse()
  const product = await client.products.get(design.productId, { signal })
  const engine = await engineLoading

  const notices = createNoticeQueue()
  const store = createEditorStore(
    initialState(design, product),
    locksOf(design, () => services),
  )
  const services = servicesOf({ store, client, texts, notices })
  const images = createPageImages(client)
  const journal = openJournal({ serviceUrl, customerId: design.customerId, designId: design.id })
  const onProblem = (problem: { error?: unknown }): void => events.problem(problem.error ?? problem)
  const saver = createSaver({ store, client, opened: { design, etag }, journal, onProblem })
  const finalize = (): void => void finalizeDesign({ client, store, saver, notices, texts: texts(), panels, events })
  const panels = createPanels(services, {
    engine: () => engine,
    onEngine: (listener) => engine.fonts.onChange(listener),
    images,
    zoom: (change) => zoomStage(store, change),
    finalize,
    ...page,
    takeItems: (items) => events.items(items),
  })
  const assets = followAssets(store, client)
  const ends = [assets.end, followReport(store, engine, events.preflight), followSaves(store, events)]
  await saver.start()
  return {
    ...{ services, engine, images, panels, saver, notices, events, finalize, readAssets: assets.read },
    async close() {
      for (const end of ends) end()
      panels.dispose()
      await saver.stop()
      images.dispose()
      engine.fonts.dispose()
    },
  }
}

/** Refuses what the locks of a template forbid, as the service does. */
function locksOf({ templateId }: Design, services: () => EditorServices): StoreRules | undefined {
  if (templateId === null) return undefined
  return {
    refuses(before, after) {
      const isBroken = findBrokenLocks(before, after).length > 0
      if (isBroken) services().announce(services().text('refusedByTemplate'))
      return isBroken
    },
  }
}

interface ServiceDeps extends Pick<SessionInput, 'client' | 'texts'> {
  store: EditorStore
  notices: NoticeQueue
}

function servicesOf({ store, client, texts, notices }: ServiceDeps): EditorServices {
  const announcer = { say: (_: string): void => undefined }
  return {
    store,
    client,
    text: (key, values) => texts().text(`editor.${key}`, values),
    get locale() {
      return texts().formats.locale
    },
    sideName: (area) => sideName(area, (key, values) => texts().text(key, values)),
    announce: (message) => announcer.say(message),
    refuse: (message) => void notices.add({ text: message, tone: 'danger' }),
    announcer,
  }
}

/** Tells the page about changes and saves. */
function followSaves(store: EditorStore, events: SessionEvents): () => void {
  let { document, save } = store.get()
  return store.subscribe(() => {
    const state = store.get()
    if (state.document !== document) {
      document = state.document
      events.change({ ...state.design, document } as Design)
    }
    if (state.save.kind === 'saved' && save.kind !== 'saved') events.saved(state.design.revision)
    save = state.save
  })
}

const ZOOM_STEP = 1.25

function zoomStage(store: EditorStore, change: 'in' | 'out' | 'fit' | 'actual'): void {
  const { view } = store.get()
  if (view === undefined) return
  // The stage fits the side when the view is missing.
  if (change === 'fit') {
    store.set({ view: undefined })
    return
  }
  const { product, printAreaId } = store.get()
  const area = product.printAreas.find(({ id }) => id === printAreaId)
  const centre = {
    x: view.xPx + ((area?.widthMm ?? 0) * view.pxPerMm) / 2,
    y: view.yPx + ((area?.heightMm ?? 0) * view.pxPerMm) / 2,
  }
  const factor = change === 'in' ? ZOOM_STEP : change === 'out' ? 1 / ZOOM_STEP : ACTUAL_PX_PER_MM / view.pxPerMm
  store.set({ view: zoomView(view, factor, centre) })
}

/** Whether the service has no such design for this customer. */
export function isNotFound(error: unknown): boolean {
  return error instanceof PlatenError && error.status === 404
}
