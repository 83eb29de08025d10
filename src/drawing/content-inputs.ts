import type { DesignDocument, Layer, PrintArea } from './document.ts'
import { DRAWING_VERSION } from './draw/draw-print-area.ts'
import { fillPlaceholders, type PlaceholderData } from './placeholders.ts'
import type { FontBook, FontFace } from './text/font-book.ts'
import { layoutText } from './text/layout.ts'

export interface ContentSource {
  /** Normalized. */
  document: DesignDocument
  /** In the product's order. */
  printAreas: readonly PrintArea[]
  /** By asset id. */
  assets: ReadonlyMap<string, { sha256: string }>
  fonts: FontBook
  data?: PlaceholderData
}

/**
 * Everything that decides what is drawn, and nothing else: equal for equal designs in every installation. Assets and
 * fonts are named by content, print areas by position and geometry, layers by position. Hash its `canonicalJson`.
 */
export function contentInputs(source: ContentSource): object {
  return {
    drawingVersion: DRAWING_VERSION,
    printAreas: source.printAreas.map((area) => ({
      widthMm: area.widthMm,
      heightMm: area.heightMm,
      bleedMm: area.bleedMm,
      targetDpi: area.targetDpi,
      shape: area.shape ?? 'rectangle',
      cutPath: area.cutPath ?? 'none',
      layers: source.document.placements
        .filter(({ printAreaId }) => printAreaId === area.id)
        .flatMap(({ layers }) => layers.map((layer) => layerContent(layer, source.assets))),
    })),
    fonts: facesUsed(source).map(({ sha256 }) => sha256),
    ...(source.data === undefined ? {} : { data: { ...source.data } }),
  }
}

function layerContent(layer: Layer, assets: ContentSource['assets']): object {
  const { id: _, ...content } = layer
  if (content.type !== 'image') return content
  const { assetId, ...rest } = content
  return { ...rest, asset: assets.get(assetId)?.sha256 ?? null }
}

/** The font files that a document's texts are drawn with, ordered by their hashes. */
export function facesUsed({ document, fonts, data }: Pick<ContentSource, 'document' | 'fonts' | 'data'>): FontFace[] {
  const faces = new Map<string, FontFace>()
  for (const { layers } of document.placements) {
    for (const layer of layers) {
      if (layer.type !== 'text') continue
      const { lines } = layoutText({ ...layer, text: fillPlaceholders(layer.text, data) }, fonts)
      for (const { face } of lines.flatMap(({ runs }) => runs)) {
        if (face !== undefined) faces.set(face.sha256, face)
      }
    }
  }
  return [...faces.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
}
