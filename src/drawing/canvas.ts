import type { Rect } from './shapes/geometry.ts'

/**
 * The part of CanvasRenderingContext2D that drawing uses. Browsers have it, and so does the canvas of Skia in Node.js.
 *
 * One unit is one point (1/72 inch): scale the context first to draw more or fewer pixels.
 */
export interface Canvas2D {
  fillStyle: unknown
  strokeStyle: unknown
  globalAlpha: number
  lineWidth: number
  lineCap: string
  lineJoin: string
  miterLimit: number
  font: string
  direction: string
  textAlign: string
  textBaseline: string
  letterSpacing: string
  fontKerning: string
  /** Newer than the rest, but harmless where it is missing. */
  lang?: string
  save(): void
  restore(): void
  translate(x: number, y: number): void
  rotate(radians: number): void
  scale(x: number, y: number): void
  transform(a: number, b: number, c: number, d: number, e: number, f: number): void
  beginPath(): void
  closePath(): void
  moveTo(x: number, y: number): void
  lineTo(x: number, y: number): void
  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void
  rect(x: number, y: number, width: number, height: number): void
  ellipse(
    x: number,
    y: number,
    radiusX: number,
    radiusY: number,
    rotation: number,
    startAngle: number,
    endAngle: number,
  ): void
  roundRect(x: number, y: number, width: number, height: number, radius: number): void
  clip(): void
  fill(rule?: 'nonzero' | 'evenodd'): void
  stroke(): void
  fillRect(x: number, y: number, width: number, height: number): void
  setLineDash(segments: number[]): void
  fillText(text: string, x: number, y: number): void
  drawImage(image: never, x: number, y: number, width: number, height: number): void
}

/**
 * Draws something as a whole at the `globalAlpha` of the context, like opacity in CSS and SVG: overlaps within it do
 * not show through. `bounds` enclose what is drawn, in the units of the context. Canvas 2D has no such groups, so the
 * caller supplies an implementation; without one, parts are faded separately.
 */
export type DrawGroup = (ctx: Canvas2D, bounds: Rect, draw: (group: Canvas2D) => void) => void

/** EXIF orientation: how stored pixels must be rotated or mirrored to be upright. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

/**
 * An image for the canvas. It is always drawn as a whole, clipped to what the layer shows, so its own size in pixels
 * does not matter: a placeholder image is drawn in exactly the place of the original.
 */
export interface DrawableImage {
  /** An argument for `drawImage` of the canvas. */
  source: unknown
  /** Size of the original in pixels, upright. Only the ratio matters here. */
  widthPx: number
  heightPx: number
  /** The orientation of `source`; 1 if it is upright. */
  orientation: Orientation
}
