import { type Layer, layerAssetIds, type PrintArea } from '../../drawing/index.ts'
import type { PrintJob } from '../types.ts'

/** A print area of the product, with the layers on it; none where the design leaves it blank. */
export type DrawnArea = { printArea: PrintArea; layers: readonly Layer[] }

/** The pages and previews to be made: one for each print area, in the product's order, so that page numbers are places. */
export function drawnAreas({ document, printAreas }: PrintJob): DrawnArea[] {
  const layersOf = (id: string) => document.placements.find(({ printAreaId }) => printAreaId === id)?.layers ?? []
  return printAreas.map((printArea) => ({ printArea, layers: layersOf(printArea.id) }))
}

/** The assets these areas show, each once, in order of first use. */
export function shownAssetIds(areas: readonly DrawnArea[]): string[] {
  const ids = areas.flatMap(({ layers }) => layers.flatMap(layerAssetIds))
  return [...new Set(ids)]
}
