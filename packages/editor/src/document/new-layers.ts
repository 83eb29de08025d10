import { type AssetSize, normalizeLayer, type Point, type PrintArea, type Rect } from '@platen/drawing'
import { roundMm } from './geometry/lengths.ts'
import { type EditorLayer, newLayerId } from './layers.ts'

const MM_PER_INCH = 25.4
const PT_PER_LINE = 1.2
const MM_PER_PT = MM_PER_INCH / 72

/** Creates a text in the middle of a print area. Its size depends on that of the area. */
export function newText(area: PrintArea, text: string, at?: Point): EditorLayer {
  const width = share(area.widthMm, 0.7)
  const fontSizePt = Math.max(8, Math.min(36, Math.round((area.widthMm / 148) * 24)))
  const lines = text.split('\n').length
  const height = Math.ceil(lines * fontSizePt * PT_PER_LINE * MM_PER_PT) + 1
  const box = boxAround(at ?? middleOf(area), width, height)
  return normalizeLayer({
    ...{ id: newLayerId(), type: 'text', ...box, text, fontFamily: 'Inter', fontSizePt, align: 'center' },
    verticalAlign: 'middle',
  }) as EditorLayer
}

export type ShapeKind = 'rect' | 'ellipse' | 'line'

export function newShape(area: PrintArea, shape: ShapeKind, color: string): EditorLayer {
  const side = share(Math.min(area.widthMm, area.heightMm), 0.4)
  const isLine = shape === 'line'
  const box = boxAround(middleOf(area), isLine ? share(area.widthMm, 0.5) : side, isLine ? 0 : side)
  const look = isLine ? { stroke: { color, widthMm: 0.5 } } : { fill: color }
  return normalizeLayer({ id: newLayerId(), type: 'shape', shape, ...box, ...look }) as EditorLayer
}

/** What a new code contains until the customer has typed a link. `example.com` is reserved for examples (RFC 2606). */
export const EXAMPLE_LINK = 'https://example.com'

export function newQr(area: PrintArea, value: string): EditorLayer {
  const smallest = Math.min(area.widthMm, area.heightMm)
  const side = roundMm(Math.min(smallest * 0.6, Math.max(20, smallest * 0.25)))
  return normalizeLayer({
    id: newLayerId(),
    type: 'qr',
    ...boxAround(middleOf(area), side, side),
    value,
  }) as EditorLayer
}

/**
 * Creates an image as large as it fits into 70 % of a print area, or as its pixels allow at the target resolution. An
 * image with few pixels still gets a quarter of the area, so that it can be seen and replaced.
 */
export function newImage(area: PrintArea, asset: AssetSize & { id: string }, at?: Point, name?: string): EditorLayer {
  const scaleTo = (part: number) =>
    Math.min((area.widthMm * part) / asset.widthPx, (area.heightMm * part) / asset.heightPx)
  const scale = Math.max(scaleTo(0.25), Math.min(scaleTo(0.7), MM_PER_INCH / area.targetDpi))
  const width = Math.max(0.001, roundMm(asset.widthPx * scale))
  const height = Math.max(0.001, roundMm(asset.heightPx * scale))
  const box = boxAround(at ?? middleOf(area), width, height)
  const named = name === undefined ? {} : { name }
  return normalizeLayer({ id: newLayerId(), type: 'image', ...box, ...named, assetId: asset.id }) as EditorLayer
}

export function trimOf({ widthMm, heightMm }: PrintArea): Rect {
  return { x: 0, y: 0, width: widthMm, height: heightMm }
}

function middleOf({ widthMm, heightMm }: PrintArea): Point {
  return { x: widthMm / 2, y: heightMm / 2 }
}

function boxAround({ x, y }: Point, width: number, height: number): Rect {
  return { x: roundMm(x - width / 2), y: roundMm(y - height / 2), width, height }
}

function share(mm: number, part: number): number {
  return Math.max(1, roundMm(mm * part))
}
