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
  /** Returns the outline of the area in which the layer draws. */
  outline(layer: Type, assets: ReadonlyMap<string, AssetSize>): Outline
  /** Finds all issues of the layer on its print area. */
  check(layer: Type, context: CheckContext): Finding[]
  /**
   * Estimates the effort of checking the content of the layer. The unit is the layout of one character. 0 if left out.
   */
  effort?(layer: Type, context: CheckContext): number
  /** Tells whether the layer draws nothing visible although its opacity is more than 0. Defaults to false. */
  showsNothing?(layer: Type): boolean
  /** Counts the dashes into which the strokes of the layer are cut; 0 if left out. */
  countDashes?(layer: Type): number
  /** Fits an image of this size into the layer. A type whose definition has `assetIds` must implement this method. */
  fitAsset?(layer: Type, size: AssetSize): FittedImage
  /** Draws the layer in millimetres. The origin is the top left of its box; rotation and opacity are already set. */
  draw(ctx: Canvas2D, layer: Type, input: LayerDrawInput): void
  /**
   * Replaces ids and names in the layer by the content that they refer to. Types without ids and names do not define
   * this method.
   */
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
  /** The number of pixels along each axis that remain after the crop. */
  usedWidthPx: number
  usedHeightPx: number
}

export interface LayerDrawInput {
  fonts: FontBook
  /** The images by asset id. A layer whose image is missing is not drawn. */
  images: ReadonlyMap<string, DrawableImage>
  /** Values of placeholders. Drawing shows a placeholder without a value as written, with its braces. */
  data?: PlaceholderData
  group?: DrawGroup
}

/** The assets, fonts and values to which the ids and names in a layer refer. */
export interface LayerSource {
  assets: ReadonlyMap<string, { sha256: string }>
  fonts: FontBook
  data?: PlaceholderData
}
