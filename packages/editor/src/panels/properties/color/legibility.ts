import { type DesignDocument, layerAssetIds, luminance, over, type PrintArea, parseColor } from '@platen/drawing'
import { boundsOfAll } from '../../../document/geometry/boxes.ts'
import { type EditorLayer, findLayer, layersOf } from '../../../document/layers.ts'
import { isHidden } from '../../../document/visibility.ts'
import type { PageImage } from '../../../engine/index.ts'
import type { PanelEngine } from '../../../state/host.ts'

/** Large texts need a contrast of 3 to 1, after WCAG 2.2. */
const LEAST_CONTRAST = 3
/** A text is hard to read if it has too little contrast on more of its box than this. */
const HARD_SHARE = 0.25
/** Enough to tell the light and dark parts of a picture apart. */
const PX_PER_MM = 2
const LONGEST_PX = 600

/** Whether a colour can be read: `unknown` as long as a picture below is not loaded. */
export type Legibility = 'good' | 'low_on_paper' | 'low_on_layers' | 'unknown'

export interface LegibilityInput {
  engine: Pick<PanelEngine, 'drawPlacement'>
  document: DesignDocument
  printArea: PrintArea
  images: ReadonlyMap<string, PageImage>
}

/** Judges the colour of a text on what lies below it, by drawing the layers below. */
export function judgeLegibility(layer: EditorLayer & { color: string }, input: LegibilityInput): Legibility {
  const below = layersBelow(layer, input.document)
  const color = withOpacity(layer)
  if (below.length === 0) return hardShare([255, 255, 255, 255], color) > 0 ? 'low_on_paper' : 'good'
  if (below.flatMap(layerAssetIds).some((id) => !input.images.has(id))) return 'unknown'
  const pixels = pixelsBelow(layer, below, input)
  if (pixels === undefined) return 'unknown'
  return hardShare(pixels, color) > HARD_SHARE ? 'low_on_layers' : 'good'
}

/** Returns the visible layers below a text whose bounds touch its own. */
export function layersBelow(layer: EditorLayer, document: DesignDocument): EditorLayer[] {
  const found = findLayer(document, layer.id)
  if (found === undefined) return []
  const own = boundsOfAll([layer])
  return layersOf(document, found.printAreaId)
    .slice(0, found.index)
    .filter((other) => {
      const { x, y, width, height } = boundsOfAll([other])
      const touches = x < own.x + own.width && own.x < x + width && y < own.y + own.height && own.y < y + height
      return touches && other.opacity > 0
    })
}

interface Color {
  red: number
  green: number
  blue: number
  alpha: number
}

/** A hidden text is judged as it will be when it is shown again. */
function withOpacity(layer: EditorLayer & { color: string }): Color {
  const color = parseColor(layer.color)
  const opacity = isHidden(layer) ? (layer.hiddenOpacity ?? 1) : layer.opacity
  return { ...color, alpha: color.alpha * opacity }
}

/** Returns the share of opaque RGBA pixels on which a colour has too little contrast. */
export function hardShare(pixels: ArrayLike<number>, color: Color): number {
  let hard = 0
  for (let i = 0; i < pixels.length; i += 4) {
    const [red = 0, green = 0, blue = 0] = [pixels[i], pixels[i + 1], pixels[i + 2]]
    const ground = { red: red / 255, green: green / 255, blue: blue / 255, alpha: 1 }
    const [one, other] = [luminance(ground), luminance(over(color, ground))]
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    if (contrast < LEAST_CONTRAST) hard += 1
  }
  return pixels.length === 0 ? 0 : hard / (pixels.length / 4)
}

function pixelsBelow(
  layer: EditorLayer,
  below: readonly EditorLayer[],
  { engine, document, printArea, images }: LegibilityInput,
): ArrayLike<number> | undefined {
  const { widthMm, heightMm } = printArea
  const pxPerMm = Math.min(PX_PER_MM, LONGEST_PX / Math.max(widthMm, heightMm))
  const canvas = globalThis.document.createElement('canvas')
  Object.assign(canvas, { width: Math.ceil(widthMm * pxPerMm), height: Math.ceil(heightMm * pxPerMm) })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) return undefined
  const ids = new Set(below.map(({ id }) => id))
  const { waiting } = engine.drawPlacement(context, {
    ...{ document, printArea, images, pxPerMm, paper: '#ffffff', clip: false },
    shows: ({ id }) => ids.has(id),
  })
  if (waiting.length > 0) return undefined
  // What lies beyond the cut is not read.
  const { x, y, width, height } = boundsOfAll([layer])
  const [left, top] = [Math.max(0, Math.floor(x * pxPerMm)), Math.max(0, Math.floor(y * pxPerMm))]
  const right = Math.min(canvas.width, Math.ceil((x + width) * pxPerMm))
  const bottom = Math.min(canvas.height, Math.ceil((y + height) * pxPerMm))
  return right <= left || bottom <= top ? [] : context.getImageData(left, top, right - left, bottom - top).data
}
