import type { Rect } from './shapes/geometry.ts'

/**
 * The part of CanvasRenderingContext2D that drawing uses. Browsers and the Skia canvas for Node.js implement it.
 *
 * One unit is one point (1/72 inch). Scale the context before drawing to get more or fewer pixels.
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
  /** Recent implementations of the canvas have this property. Older ones ignore it. */
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
 * Draws content as one group with the `globalAlpha` of the context, as opacity in CSS and SVG does, so that overlaps
 * inside the group stay invisible. `bounds` enclose the content, in units of the context. Canvas 2D has no groups, so
 * the caller supplies an implementation. Without an implementation, each part of the content is faded separately.
 */
export type DrawGroup = (ctx: Canvas2D, bounds: Rect, draw: (group: Canvas2D) => void) => void

/** EXIF orientation: how stored pixels must be rotated or mirrored to be upright. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

/**
 * An image for the canvas. Drawing always draws the whole image and clips it to the visible part. The pixel size of
 * `source` therefore has no influence, and a placeholder image covers exactly the area of the original.
 */
export interface DrawableImage {
  /** An argument for `drawImage` of the canvas. */
  source: unknown
  /** The size of the upright original in pixels. Drawing uses only the ratio of width to height. */
  widthPx: number
  heightPx: number
  /** The orientation of the pixels in `source`; 1 if they are upright. */
  orientation: Orientation
}
