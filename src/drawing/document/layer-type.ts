import type { Layer, LayerInput } from './design-document.ts'

/**
 * Ends each decision by the type of a layer: a type that the decision leaves out does not compile.
 *
 * @throws TypeError for a layer that no schema admits
 */
export function unknownLayer(layer: never): never {
  throw new TypeError(`Unknown layer type: ${(layer as { type: unknown }).type}`)
}

/** The assets that a layer shows. */
export function layerAssetIds(layer: Layer | LayerInput): string[] {
  switch (layer.type) {
    case 'image':
      return [layer.assetId]
    case 'text':
    case 'shape':
    case 'qr':
      return []
    default:
      return unknownLayer(layer)
  }
}
