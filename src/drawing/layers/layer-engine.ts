import type { Canvas2D, DrawableImage, DrawGroup } from '../canvas.ts'
import type { CheckContext } from '../checks/context.ts'
import type { Finding } from '../checks/issue.ts'
import type { AssetSize } from '../document/design-document.ts'
import type { Layer } from '../document/layer-types.ts'
import type { PlaceholderData } from '../document/placeholders.ts'
import type { Rect } from '../shapes/geometry.ts'
import type { FontBook } from '../text/fonts/font-book.ts'
import type { Outline } from '../trim/trim-shape.ts'

/** How one type of layer is checked and drawn. Layers are normalized, with unfilled placeholders. */
export interface LayerEngine<Type extends Layer> {
  /** What the layer draws on. */
  outline(layer: Type, assets: ReadonlyMap<string, AssetSize>): Outline
  /** Finds all issues of the layer on its print area. */
  check(layer: Type, context: CheckContext): Finding[]
  /** The effort of checking the content of the layer, in characters of layout; 0 if left out. */
  effort?(layer: Type, context: CheckContext): number
  /** Whether the layer draws nothing visible although it is not fully transparent; false if left out. */
  showsNothing?(layer: Type): boolean
  /** How many dashes the strokes are cut into; 0 if left out. */
  countDashes?(layer: Type): number
  /** Fits an image of this size into the layer. Every type whose definition has `assetIds` needs it. */
  fitAsset?(layer: Type, size: AssetSize): FittedImage
  /** Draws the layer in millimetres. The origin is the top left of its box; rotation and opacity are already set. */
  draw(ctx: Canvas2D, layer: Type, input: LayerDrawInput): void
  /** Replaces ids and names in the layer by what they refer to; if left out, the layer has none. */
  contentInputs?(layer: Omit<Type, 'id'>, source: LayerSource): object
}

/** The position of an image in the box of a layer, in millimetres from its top left, before flipping. */
export interface FittedImage {
  /** The whole upright image, including cropped parts. */
  whole: Rect
  /** The visible part. */
  shown: Rect
  /** Resolution along the axes of the image, in pixels per inch of print. */
  dpiX: number
  dpiY: number
  /** The pixels that are used along each axis, after the crop. */
  usedWidthPx: number
  usedHeightPx: number
}

export interface LayerDrawInput {
  fonts: FontBook
  /** By asset id. A layer whose image is not among them is left out. */
  images: ReadonlyMap<string, DrawableImage>
  /** Values of placeholders. A placeholder without a value is drawn as it is written. */
  data?: PlaceholderData
  group?: DrawGroup
}

/** What the ids and names in a layer refer to. */
export interface LayerSource {
  assets: ReadonlyMap<string, { sha256: string }>
  fonts: FontBook
  data?: PlaceholderData
}
