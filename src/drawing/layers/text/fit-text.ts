import { type CheckContext, spend } from '../../checks/context.ts'
import { movedToSafety } from '../../checks/moves.ts'
import type { TextLayer } from '../../document/text-layer.ts'
import { boundsOf, centreOf, type Rect, turnedCorners } from '../../shapes/geometry.ts'
import { ceilMm, EPSILON_MM, floorMm, ptToMm } from '../../shapes/units.ts'
import { layoutText, type TextLayout } from '../../text/layout.ts'
import { textCorners } from './text-corners.ts'

/** The smallest font size that is easy to read, in points. */
export const SMALL_PT = 7

/** Lays out a text for trying a remedy. */
export function layoutOf(layer: TextLayer, context: CheckContext): TextLayout {
  spend(context, layer.text.length)
  return layoutText(layer, context.fonts)
}

/** Yields the text moved so that it keeps the safe margin, if moving is enough. */
export function* movedTextToSafety(layer: TextLayer, context: CheckContext): Iterable<TextLayer> {
  const layout = layoutOf(layer, context)
  yield* movedToSafety(layer, (measure) => textCorners(layer, layout, measure), context)
}

export function fits(layer: TextLayer, { widthPt, heightPt, lines }: TextLayout): boolean {
  // A text without glyphs fits in any box.
  if (lines.every(({ runs }) => runs.length === 0)) return true
  return ptToMm(widthPt) <= layer.width + EPSILON_MM && ptToMm(heightPt) <= layer.height + EPSILON_MM
}

/** Enlarges the box to the size of its text. The side to which the text is aligned stays in place. */
export function withFittingBox(layer: TextLayer, layout: TextLayout): TextLayer {
  const width = Math.max(layer.width, ceilMm(ptToMm(layout.widthPt)))
  const height = Math.max(layer.height, ceilMm(ptToMm(layout.heightPt)))
  const left = { left: 0, justify: 0, center: 0.5, right: 1 }[layer.align] * (width - layer.width)
  const above = { top: 0, middle: 0.5, bottom: 1 }[layer.verticalAlign] * (height - layer.height)
  return { ...layer, x: ceilMm(layer.x - left), y: ceilMm(layer.y - above), width, height }
}

// The longest text for which a size is searched, in UTF-16 units. A search lays out the text several times, which takes
// too long for a full page.
const RESIZED_TEXT_LENGTH = 2_000

/**
 * Finds the largest size, in tenths of a point, at which the text fits its box. Returns undefined if that size is too
 * small to read.
 */
export function withFittingSize(layer: TextLayer, context: CheckContext): TextLayer | undefined {
  if (layer.text.length > RESIZED_TEXT_LENGTH) return undefined
  const fitsAt = (tenths: number) => {
    const resized = { ...layer, fontSizePt: tenths / 10 }
    return fits(resized, layoutOf(resized, context))
  }
  let low = SMALL_PT * 10
  let high = Math.ceil(layer.fontSizePt * 10) - 1
  if (high < low || !fitsAt(low)) return undefined
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fitsAt(middle)) low = middle
    else high = middle - 1
  }
  return { ...layer, fontSizePt: low / 10 }
}

/** Yields versions of the layer that fit the safe area, with another box or with smaller text. */
export function* refitted(layer: TextLayer, context: CheckContext): Iterable<TextLayer> {
  if (layer.rotation % 90 === 0) yield* reboxed(layer, context)
  else yield* shrunk(layer, context)
}

/**
 * Yields the layer with its box in the safe area. The box is as wide as before or as the area allows, and as high as
 * the text needs; if necessary, the text becomes smaller. The box is upright or rotated by a quarter turn.
 */
function* reboxed(layer: TextLayer, context: CheckContext): Iterable<TextLayer> {
  const onItsSide = layer.rotation % 180 !== 0
  const { x, y, width, height } = context.trim.room(context.area.safeMarginMm)
  // A box that is rotated by a quarter turn is positioned by its centre, which may give half micrometres.
  const room = onItsSide
    ? { x: x + 0.001, y: y + 0.001, width: width - 0.002, height: height - 0.002 }
    : { x, y, width, height }
  const most = onItsSide ? { width: room.height, height: room.width } : room
  const widths = new Set([Math.min(layer.width, floorMm(most.width)), floorMm(most.width)])
  for (const wide of widths) {
    if (wide <= 0 || most.height <= 0) continue
    const box = { ...layer, width: wide, height: floorMm(most.height) }
    const layout = layoutOf(box, context)
    const sized = fits(box, layout) ? box : withFittingSize(box, context)
    if (sized === undefined) continue
    const needed = ceilMm(ptToMm(layoutOf(sized, context).heightPt))
    yield placedIn(room, layer, { ...sized, height: Math.min(box.height, Math.max(layer.height, needed)) }, onItsSide)
  }
}

// Yields the layer scaled down. Sizes are whole tenths of a point, so lines break almost as before.
function* shrunk(layer: TextLayer, context: CheckContext): Iterable<TextLayer> {
  const boxed = withFittingBox(layer, layoutOf(layer, context))
  const bounds = boundsOf(turnedCorners(boxed, boxed.rotation, centreOf(boxed)))
  const room = context.trim.room(context.area.safeMarginMm)
  const share = Math.min(1, room.width / bounds.width, room.height / bounds.height)
  const fontSizePt = Math.floor(layer.fontSizePt * share * 10) / 10
  if (fontSizePt < SMALL_PT) return
  const width = floorMm(boxed.width * share)
  const height = floorMm(boxed.height * share)
  const x = ceilMm(room.x + (room.width - width) / 2)
  const y = ceilMm(room.y + (room.height - height) / 2)
  yield { ...layer, fontSizePt, x, y, width, height }
}

// Keeps the centre of the box where it is, unless the box would then extend beyond `room`.
function placedIn(room: Rect, before: TextLayer, after: TextLayer, onItsSide: boolean): TextLayer {
  const centre = centreOf(before)
  const [across, down] = onItsSide ? [after.height, after.width] : [after.width, after.height]
  const left = clamped(centre.x - across / 2, room.x, room.x + room.width - across)
  const top = clamped(centre.y - down / 2, room.y, room.y + room.height - down)
  const x = ceilMm(left + across / 2 - after.width / 2)
  const y = ceilMm(top + down / 2 - after.height / 2)
  return { ...after, x, y }
}

function clamped(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
