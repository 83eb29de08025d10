import { type Layer, layerAssetIds, type PrintArea } from '../../drawing/index.ts'
import type { PrintJob } from '../types.ts'

/** A print area of the product with its layers. `layers` is empty if the design leaves the area blank. */
export type DrawnArea = { printArea: PrintArea; layers: readonly Layer[] }

/**
 * Lists the pages and previews of a job: one per print area, in the order of the product. The number of a page is
 * therefore the position of its print area.
 */
export function drawnAreas({ document, printAreas }: PrintJob): DrawnArea[] {
  const layersOf = (id: string) => document.placements.find(({ printAreaId }) => printAreaId === id)?.layers ?? []
  return printAreas.map((printArea) => ({ printArea, layers: layersOf(printArea.id) }))
}

/** Lists the assets in the given areas, each once, in order of first use. */
export function shownAssetIds(areas: readonly DrawnArea[]): string[] {
  const ids = areas.flatMap(({ layers }) => layers.flatMap(layerAssetIds))
  return [...new Set(ids)]
}
