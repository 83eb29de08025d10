import type { Layer, PrintArea } from '../../drawing/index.ts'
import type { PrintJob } from '../types.ts'

/** A print area that a design uses, with the layers on it. */
export type DrawnArea = { printArea: PrintArea; layers: readonly Layer[] }

/**
 * The print areas that become pages and previews: those with a layer, in the product's order. A postcard with a bare
 * back has one page, not a blank second.
 */
export function drawnAreas({ document, printAreas }: PrintJob): DrawnArea[] {
  const layersOf = (id: string) => document.placements.find(({ printAreaId }) => printAreaId === id)?.layers ?? []
  return printAreas
    .map((printArea) => ({ printArea, layers: layersOf(printArea.id) }))
    .filter(({ layers }) => layers.length > 0)
}

/** The assets these areas show, each once, in order of first use. */
export function shownAssetIds(areas: readonly DrawnArea[]): string[] {
  const ids = areas.flatMap(({ layers }) => layers.flatMap((layer) => (layer.type === 'image' ? [layer.assetId] : [])))
  return [...new Set(ids)]
}
