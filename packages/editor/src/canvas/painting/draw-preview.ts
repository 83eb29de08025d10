import { type DesignDocument, layerAssetIds, type PrintArea } from '@platen/drawing'
import { layersOf } from '../../document/layers.ts'
import { shownAssets } from '../../document/shown-assets.ts'
import type { Engine } from '../../engine/index.ts'
import type { EditorStore } from '../../state/editor-store.ts'
import type { PageImages } from './page-images.ts'

export interface PreviewServices {
  engine: Engine
  images: PageImages
  store: EditorStore
  /** Reads the metadata of assets into the state. */
  readAssets(ids: readonly string[]): void
}

export interface Preview {
  document: DesignDocument
  printArea: PrintArea
  canvas: HTMLCanvasElement
}

/**
 * Draws one side of a document as it is cut, as large as the canvas is wide, and again when fonts and pictures arrive.
 * The document may be an earlier version, so its assets may be none of the present design. Returns a function that ends
 * this.
 */
export function drawPreview(
  { document, printArea, canvas }: Preview,
  { engine, images, store, readAssets }: PreviewServices,
): () => void {
  const context = canvas.getContext('2d')
  if (context === null) return () => undefined
  const width = Math.max(1, Math.round((canvas.clientWidth || 240) * devicePixelRatio))
  const pxPerMm = width / printArea.widthMm
  const height = Math.max(1, Math.round(printArea.heightMm * pxPerMm))
  const draw = (): void => {
    Object.assign(canvas, { width, height })
    const { waiting } = engine.drawPlacement(context, {
      ...{ document, printArea, pxPerMm, images: images.current() },
      ...{ box: 'trim', paper: '#ffffff', cut: true },
    })
    // Failures are among `fonts.problems`.
    if (waiting.length > 0) engine.fonts.ready(document).catch(() => undefined)
  }
  const showImages = (): void => images.show(canvas, shownAssets(document, printArea.id, store.get().assets))
  const ends = [engine.fonts.onChange(draw), images.onChange(draw), store.subscribe(showImages)]
  readAssets(layersOf(document, printArea.id).flatMap(layerAssetIds))
  showImages()
  draw()
  return () => {
    for (const end of ends) end()
    images.show(canvas, [])
  }
}
