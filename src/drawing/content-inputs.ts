import type { DesignDocument, Layer, PrintArea, TextLayer } from './document/design-document.ts'
import { unknownLayer } from './document/layer-type.ts'
import { fillPlaceholders, type PlaceholderData } from './document/placeholders.ts'
import { DRAWING_VERSION } from './draw/draw-print-area.ts'
import type { FontBook } from './text/fonts/font-book.ts'
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
  /** Called before each layer is laid out, so that the caller knows where time runs out. */
  onLayer?: (layer: Layer) => void
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
        .flatMap(({ layers }) => layers.map((layer) => layerContent(layer, source))),
    })),
    ...(source.data === undefined ? {} : { data: { ...source.data } }),
  }
}

function layerContent(layer: Layer, source: ContentSource): object {
  source.onLayer?.(layer)
  const { id: _, ...content } = layer
  switch (content.type) {
    case 'text':
      return { ...content, faces: facesInOrder(content, source) }
    case 'image': {
      const { assetId, ...rest } = content
      return { ...rest, asset: source.assets.get(assetId)?.sha256 ?? null }
    }
    case 'shape':
    case 'qr':
      return content
    default:
      return unknownLayer(content)
  }
}

/**
 * Which font file sets which part of a text, by its start in UTF-16 units of what is drawn: with two files of one
 * family that both have a letter, the names of the files alone would not tell.
 */
function facesInOrder(text: Omit<TextLayer, 'id'>, { fonts, data }: ContentSource): [sha256: string, start: number][] {
  const faces: [string, number][] = []
  let start = 0
  const { lines } = layoutText({ ...text, text: fillPlaceholders(text.text, data) }, fonts)
  for (const run of lines.flatMap(({ runs }) => runs)) {
    const sha256 = run.face?.sha256 ?? ''
    if (faces.at(-1)?.[0] !== sha256) faces.push([sha256, start])
    start += run.text.length
  }
  return faces
}
