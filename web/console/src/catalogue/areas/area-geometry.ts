/** The numbers that a drawing of a print area shows, in millimetres. */
export interface AreaSize {
  widthMm: number
  heightMm: number
  bleedMm: number
  safeMarginMm: number
}

export type Measure = keyof AreaSize

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** Where a print area is in a drawing, in pixels. */
export interface Placed {
  /** Pixels of a millimetre. */
  scale: number
  bleed: Box
  trim: Box
  safe: Box
}

/** What the service accepts. */
export const LIMITS: Readonly<Record<Measure, { min: number; max: number }>> = {
  widthMm: { min: 1, max: 5_080 },
  heightMm: { min: 1, max: 5_080 },
  bleedMm: { min: 0, max: 100 },
  safeMarginMm: { min: 0, max: 1_000 },
}

/**
 * Fits a print area with its bleed into a drawing, to scale and in its middle.
 *
 * @param margin pixels that stay free on each side
 * @param fixed a scale to keep, while a handle is dragged
 */
export function placeArea(
  size: AreaSize,
  frame: { width: number; height: number },
  margin: number,
  fixed?: number,
): Placed {
  const [width, height] = [size.widthMm + 2 * size.bleedMm, size.heightMm + 2 * size.bleedMm]
  const fitting = Math.min((frame.width - 2 * margin) / width, (frame.height - 2 * margin) / height)
  const scale = fixed ?? Math.max(fitting, Number.MIN_VALUE)
  const x = (frame.width - size.widthMm * scale) / 2
  const y = (frame.height - size.heightMm * scale) / 2
  const trim = { x, y, width: size.widthMm * scale, height: size.heightMm * scale }
  return { scale, trim, bleed: grown(trim, size.bleedMm * scale), safe: grown(trim, -size.safeMarginMm * scale) }
}

/** Returns a box whose sides are further out by a distance. It is empty rather than inside out. */
function grown({ x, y, width, height }: Box, by: number): Box {
  const [w, h] = [Math.max(0, width + 2 * by), Math.max(0, height + 2 * by)]
  return { x: x + (width - w) / 2, y: y + (height - h) / 2, width: w, height: h }
}

const POINTS = 144

/**
 * Returns the outline at a distance from the ellipse in a box, at right angles to it, as an SVG path. Outwards is
 * positive. Far inside, an outline would cross itself: points beyond an axis of the ellipse are left out.
 */
export function ellipseOutline({ x, y, width, height }: Box, distance: number): string {
  const [rx, ry] = [width / 2, height / 2]
  const points: string[] = []
  for (let index = 0; index < POINTS; index += 1) {
    const angle = (2 * Math.PI * index) / POINTS
    const [px, py] = [rx * Math.cos(angle), ry * Math.sin(angle)]
    const [nx, ny] = [Math.cos(angle) / rx, Math.sin(angle) / ry]
    const length = Math.hypot(nx, ny)
    const [qx, qy] = [px + (distance * nx) / length, py + (distance * ny) / length]
    const isBeyond = qx * px < -1e-9 || qy * py < -1e-9
    if (!isBeyond) points.push(`${(x + rx + qx).toFixed(2)} ${(y + ry + qy).toFixed(2)}`)
  }
  return points.length === 0 ? '' : `M${points.join('L')}Z`
}

/** The pixels by which a handle has moved. */
export interface Move {
  dx: number
  dy: number
}

/** How far the pointer moves a measure, in pixels. Both edges of the area move, because it stays in the middle. */
const PIXELS: Readonly<Record<Measure, (move: Move) => number>> = {
  widthMm: ({ dx }) => 2 * dx,
  heightMm: ({ dy }) => 2 * dy,
  bleedMm: ({ dx }) => -dx,
  safeMarginMm: ({ dx }) => dx,
}

/** Returns the measure after its handle was dragged, in whole millimetres, or in tenths if it is `fine`. */
export function dragged(measure: Measure, from: number, move: Move, scale: number, isFine: boolean): number {
  return within(measure, from + PIXELS[measure](move) / scale, isFine ? 10 : 1)
}

/** Returns a measure that the service accepts, rounded to a part of a millimetre. */
export function within(measure: Measure, mm: number, parts: number): number {
  const { min, max } = LIMITS[measure]
  return Math.min(max, Math.max(min, Math.round(mm * parts) / parts))
}
