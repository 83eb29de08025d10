import type { Point, PrintArea, Rect } from '@platen/drawing'
import type { View } from './editor-state.ts'

export const MIN_ZOOM = 0.1
export const MAX_ZOOM = 60
/** CSS defines 96 pixels per inch, so this is the actual size. */
export const ACTUAL_PX_PER_MM = 96 / 25.4

export interface Size {
  width: number
  height: number
}

/** Margins in pixels. */
export interface Margins {
  /** On the left and on the right. */
  side: number
  top: number
  bottom: number
}

/** Returns the view that shows a whole print area with its bleed in the middle of what the margins leave. */
export function fitView({ widthMm, heightMm, bleedMm }: PrintArea, stage: Size, margins: Margins): View {
  const width = widthMm + 2 * bleedMm
  const height = heightMm + 2 * bleedMm
  const availablePx = stage.height - margins.top - margins.bottom
  const fitting = Math.min((stage.width - 2 * margins.side) / width, availablePx / height)
  const pxPerMm = clampZoom(fitting)
  return {
    pxPerMm,
    xPx: (stage.width - widthMm * pxPerMm) / 2,
    yPx: margins.top + (availablePx - heightMm * pxPerMm) / 2,
  }
}

/** Zooms so that the point of the print area under `at` stays there. */
export function zoomView(view: View, factor: number, at: Point): View {
  const pxPerMm = clampZoom(view.pxPerMm * factor)
  const scale = pxPerMm / view.pxPerMm
  return { pxPerMm, xPx: at.x - (at.x - view.xPx) * scale, yPx: at.y - (at.y - view.yPx) * scale }
}

export function panView(view: View, dx: number, dy: number): View {
  return { ...view, xPx: view.xPx + dx, yPx: view.yPx + dy }
}

/** Keeps a part of the page in the stage, so that it cannot be lost. */
export function keepInSight(view: View, { widthMm, heightMm }: PrintArea, stage: Size): View {
  const least = 60
  const limit = (at: number, size: number, available: number): number =>
    Math.min(available - least, Math.max(least - size, at))
  return {
    ...view,
    xPx: limit(view.xPx, widthMm * view.pxPerMm, stage.width),
    yPx: limit(view.yPx, heightMm * view.pxPerMm, stage.height),
  }
}

export function toMm(view: View, { x, y }: Point): Point {
  return { x: (x - view.xPx) / view.pxPerMm, y: (y - view.yPx) / view.pxPerMm }
}

export function toPx(view: View, { x, y }: Point): Point {
  return { x: x * view.pxPerMm + view.xPx, y: y * view.pxPerMm + view.yPx }
}

export function rectToPx(view: View, { x, y, width, height }: Rect): Rect {
  const { pxPerMm } = view
  return { ...toPx(view, { x, y }), width: width * pxPerMm, height: height * pxPerMm }
}

function clampZoom(pxPerMm: number): number {
  return Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, Number.isFinite(pxPerMm) ? pxPerMm : 1))
}
