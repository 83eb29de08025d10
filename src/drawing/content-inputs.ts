import type { DesignDocument, PrintArea } from './document/design-document.ts'
import type { Layer } from './document/layer-types.ts'
import { DRAWING_VERSION } from './draw/draw-print-area.ts'
import { engineOf } from './layer-engines.ts'
import type { LayerSource } from './layers/layer-engine.ts'

export interface ContentSource extends LayerSource {
  document: DesignDocument
  /** The print areas of the product, in the order of the product. */
  printAreas: readonly PrintArea[]
  /**
   * Called before each layer is laid out. If the process is stopped, the caller can name the layer that took too long.
   */
  onLayer?: (layer: Layer) => void
}

/**
 * Collects exactly what determines the drawing. The result is equal for equal designs in all installations: it names
 * assets and fonts by content, print areas by position and geometry, and layers by position. To get a hash, serialize
 * the result with `canonicalJson`.
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

/** Fields that change nothing of the drawing. */
const NOT_DRAWN: ReadonlySet<string> = new Set(['id', 'lock', 'name', 'group', 'hiddenOpacity'])
type DrawnFields = Omit<Layer, 'id'>

function layerContent(layer: Layer, source: ContentSource): object {
  source.onLayer?.(layer)
  const content = Object.fromEntries(Object.entries(layer).filter(([field]) => !NOT_DRAWN.has(field))) as DrawnFields
  return engineOf(layer).contentInputs?.(content, source) ?? content
}
