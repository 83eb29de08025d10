import { imageLayer } from './image-layer.ts'
import type { FontReference, LayerDefinition, WithDefaults } from './layer-definition.ts'
import { qrLayer } from './qr-layer.ts'
import type { LayerInput } from './schema/design-document.ts'
import { shapeLayer } from './shape-layer.ts'
import { textLayer } from './text-layer.ts'

export type { LayerInput } from './schema/design-document.ts'

/**
 * The definition of every layer type. `LAYER_ENGINES` has the engine of each type, and the compiler reports a type
 * without an engine.
 */
export const LAYER_DEFINITIONS = { text: textLayer, image: imageLayer, shape: shapeLayer, qr: qrLayer } as const

type Definitions = typeof LAYER_DEFINITIONS
export type LayerType = keyof Definitions

/** One layer of a normalized document. */
export type Layer = {
  [Type in LayerType]: WithDefaults<Extract<LayerInput, { type: Type }>, Definitions[Type]['defaults']>
}[LayerType]

export type LayerOf<Type extends LayerType> = Extract<Layer, { type: Type }>

/**
 * Returns the definition of the type of a layer.
 * @throws TypeError if the type is unknown
 */
export function definitionOf({ type }: LayerInput): LayerDefinition<LayerInput> {
  const definition: LayerDefinition<LayerInput> | undefined = LAYER_DEFINITIONS[type]
  if (definition === undefined) throw new TypeError(`Unknown layer type: ${type}`)
  return definition
}

export function layerAssetIds(layer: LayerInput): string[] {
  return definitionOf(layer).assetIds?.(layer) ?? []
}

export function layerFonts(layer: Layer): FontReference[] {
  return definitionOf(layer).fonts?.(layer) ?? []
}
