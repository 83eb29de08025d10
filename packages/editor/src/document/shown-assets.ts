import type { Asset } from '@platen/client'
import { type DesignDocument, layerAssetIds } from '@platen/drawing'
import { layersOf } from './layers.ts'

/** Returns the known assets of a side, those of the largest layers first. */
export function shownAssets(
  document: DesignDocument,
  printAreaId: string,
  assets: ReadonlyMap<string, Asset>,
): readonly Asset[] {
  const largestFirst = layersOf(document, printAreaId).toSorted(
    (one, other) => other.width * other.height - one.width * one.height,
  )
  const ids = new Set(largestFirst.flatMap(layerAssetIds))
  return [...ids].flatMap((id) => assets.get(id) ?? [])
}
