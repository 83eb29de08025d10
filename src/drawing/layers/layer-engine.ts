import type { Canvas2D, DrawableImage, DrawGroup } from '../canvas.ts'
import type { CheckContext } from '../checks/context.ts'
import type { Finding } from '../checks/issue.ts'
import type { AssetSize } from '../document/design-document.ts'
import type { Layer } from '../document/layer-types.ts'
import type { PlaceholderData } from '../document/placeholders.ts'
import type { Rect } from '../shapes/geometry.ts'
import type { FontBook } from '../text/fonts/font-book.ts'
import type { Outline } from '../trim/trim-shape.ts'

/** How one type of layer is checked and drawn. Layers are normalized, and their placeholders not yet filled. */
export interface LayerEngine<Type extends Layer> {
  /** What the layer draws on. */
  outline(layer: Type, assets: ReadonlyMap<string, AssetSize>): Outline
  /** Finds all that is wrong with the layer on its print area. */
  check(layer: Type, context: CheckContext): Finding[]
  /** What checking the content of the layer takes, in characters laid out; 0 if left out. */
  effort?(layer: Type, context: CheckContext): number
  /** Whether a layer that is not fully transparent leaves no trace; false if left out. */
  showsNothing?(layer: Type): boolean
  /** How many dashes the strokes are cut into; 0 if left out. */
  countDashes?(layer: Type): number
  /** Fits an image of this size into the layer. Every type whose definition has `assetIds` needs it. */
  fitAsset?(layer: Type, size: AssetSize): FittedImage
  /** Draws the layer in millimetres, with the origin at the top left of its box, turned and faded already. */
  draw(ctx: Canvas2D, layer: Type, input: LayerDrawInput): void
  /** The layer without its id, with what its ids and names stand for; only without its id if left out. */
  contentInputs?(layer: Omit<Type, 'id'>, source: LayerSource): object
}

/** Where a layer shows an image in its box, in millimetres from the box's top left, before flipping. */
export interface FittedImage {
  /** The whole upright image, the parts that are cropped or cut off included. */
  whole: Rect
  /** What of it is seen. */
  shown: Rect
  /** Resolution along the image's own axes, in pixels per inch of print. */
  dpiX: number
  dpiY: number
  /** Pixels that are used along each axis, after the crop. */
  usedWidthPx: number
  usedHeightPx: number
}

export interface LayerDrawInput {
  fonts: FontBook
  /** By asset id. A layer whose image is not among them is left out. */
  images: ReadonlyMap<string, DrawableImage>
  /** Values for placeholders; those without one are drawn as they stand. */
  data?: PlaceholderData
  group?: DrawGroup
}

/** What the ids and names in a layer stand for. */
export interface LayerSource {
  /** By asset id. */
  assets: ReadonlyMap<string, { sha256: string }>
  fonts: FontBook
  data?: PlaceholderData
}
