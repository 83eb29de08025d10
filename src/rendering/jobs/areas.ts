import { type Layer, layerAssetIds, type PrintArea } from '../../drawing/index.ts'
import type { PrintJob } from '../types.ts'

/** A print area of the product with its layers; without layers if the design leaves it blank. */
export type DrawnArea = { printArea: PrintArea; layers: readonly Layer[] }

/** Lists the pages and previews: one per print area in the order of the product, so that page numbers are positions. */
export function drawnAreas({ document, printAreas }: PrintJob): DrawnArea[] {
  const layersOf = (id: string) => document.placements.find(({ printAreaId }) => printAreaId === id)?.layers ?? []
  return printAreas.map((printArea) => ({ printArea, layers: layersOf(printArea.id) }))
}

/** The assets these areas show, each once, in order of first use. */
export function shownAssetIds(areas: readonly DrawnArea[]): string[] {
  const ids = areas.flatMap(({ layers }) => layers.flatMap(layerAssetIds))
  return [...new Set(ids)]
}
