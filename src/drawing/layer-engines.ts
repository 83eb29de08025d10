import type { AssetSize } from './document/design-document.ts'
import { type Layer, type LayerOf, type LayerType, layerAssetIds } from './document/layer-types.ts'
import { imageEngine } from './layers/image/image-engine.ts'
import type { FittedImage, LayerEngine } from './layers/layer-engine.ts'
import { qrEngine } from './layers/qr/qr-engine.ts'
import { shapeEngine } from './layers/shape/shape-engine.ts'
import { textEngine } from './layers/text/text-engine.ts'

const LAYER_ENGINES: { [Type in LayerType]: LayerEngine<LayerOf<Type>> } = {
  text: textEngine,
  image: imageEngine,
  shape: shapeEngine,
  qr: qrEngine,
}

/**
 * Returns the engine of the type of a layer.
 * @throws TypeError if the type is unknown
 */
export function engineOf({ type }: Pick<Layer, 'type'>): LayerEngine<Layer> {
  const engine: LayerEngine<Layer> | undefined = LAYER_ENGINES[type]
  if (engine === undefined) throw new TypeError(`Unknown layer type: ${type}`)
  return engine
}

/** Fits an asset into a layer. Returns undefined if the layer does not show the asset. */
export function fitAsset(layer: Layer, assetId: string, size: AssetSize): FittedImage | undefined {
  return layerAssetIds(layer).includes(assetId) ? engineOf(layer).fitAsset?.(layer, size) : undefined
}
