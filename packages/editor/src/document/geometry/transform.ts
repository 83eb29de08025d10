import { centreOf, type Point, type Rect, turn, turnedPoints } from '@platen/drawing'
import type { EditorLayer } from '../layers.ts'
import { roundMm } from './lengths.ts'
import { scalePath } from './scale-path.ts'

/** A handle of a box: -1 is left or top, 1 is right or bottom, 0 is the middle. */
export interface Handle {
  x: -1 | 0 | 1
  y: -1 | 0 | 1
}

export const HANDLES: readonly Handle[] = [
  { x: -1, y: -1 },
  { x: 0, y: -1 },
  { x: 1, y: -1 },
  { x: 1, y: 0 },
  { x: 1, y: 1 },
  { x: 0, y: 1 },
  { x: -1, y: 1 },
  { x: -1, y: 0 },
]

export interface ResizeOptions {
  keepsRatio: boolean
  fromCentre: boolean
}

const MIN_MM = 0.5
const MAX_FONT_PT = 10_000
/** Moves a layer by an offset in millimetres. Returns the same layer if it stays where it is. */
export function moveLayer(layer: EditorLayer, offset: Point): EditorLayer {
  const x = roundMm(layer.x + offset.x)
  const y = roundMm(layer.y + offset.y)
  return x === layer.x && y === layer.y ? layer : { ...layer, x, y }
}

/** Rotates a layer by some degrees around a point, and keeps its rotation between -180 and 180. */
export function rotateLayer(layer: EditorLayer, degrees: number, around: Point): EditorLayer {
  const centre = centreOf(layer)
  const [moved = centre] = turnedPoints([centre], degrees, around)
  return {
    ...layer,
    rotation: normalizeDegrees(layer.rotation + degrees),
    x: roundMm(layer.x + moved.x - centre.x),
    y: roundMm(layer.y + moved.y - centre.y),
  }
}

/** Returns the same angle between -180 (excluded) and 180 degrees, with two decimals. */
export function normalizeDegrees(degrees: number): number {
  const turned = ((degrees % 360) + 360) % 360
  return Math.round((turned > 180 ? turned - 360 : turned) * 100) / 100 + 0
}

/**
 * Returns the box of a layer after its handle was dragged to a point. The opposite side stays where it is, or the
 * centre with `fromCentre`.
 */
export function resizeBox(layer: EditorLayer, handle: Handle, to: Point, options: ResizeOptions): Rect {
  const { width, height, rotation } = layer
  const centre = centreOf(layer)
  const { cos, sin } = turn(rotation)
  const reach = options.fromCentre ? 0 : 0.5
  const fixedLocal = { x: -handle.x * width * reach, y: -handle.y * height * reach }
  const fixed = {
    x: centre.x + fixedLocal.x * cos - fixedLocal.y * sin,
    y: centre.y + fixedLocal.x * sin + fixedLocal.y * cos,
  }
  const [local = to] = turnedPoints([to], -rotation, fixed)
  const share = options.fromCentre ? 2 : 1
  const isFlat = (side: number): boolean => side === 0
  let newWidth = handle.x === 0 ? width : Math.max(isFlat(width) ? 0 : MIN_MM, (local.x - fixed.x) * handle.x * share)
  let newHeight =
    handle.y === 0 ? height : Math.max(isFlat(height) ? 0 : MIN_MM, (local.y - fixed.y) * handle.y * share)
  if (options.keepsRatio && width > 0 && height > 0) {
    const scale = ratioOf(handle, newWidth / width, newHeight / height)
    newWidth = width * scale
    newHeight = height * scale
  }
  const offset = options.fromCentre ? { x: 0, y: 0 } : { x: (handle.x * newWidth) / 2, y: (handle.y * newHeight) / 2 }
  const newCentre = { x: fixed.x + offset.x * cos - offset.y * sin, y: fixed.y + offset.x * sin + offset.y * cos }
  return {
    x: roundMm(newCentre.x - newWidth / 2),
    y: roundMm(newCentre.y - newHeight / 2),
    width: roundMm(newWidth),
    height: roundMm(newHeight),
  }
}

function ratioOf(handle: Handle, scaleX: number, scaleY: number): number {
  if (handle.x === 0) return scaleY
  if (handle.y === 0) return scaleX
  return Math.max(scaleX, scaleY)
}

/** Gives a layer another box. What the box holds is scaled with it, where it does not adapt by itself. */
export function withBox(layer: EditorLayer, box: Rect, scalesText: boolean): EditorLayer {
  const scaleX = layer.width === 0 ? 1 : box.width / layer.width
  const scaleY = layer.height === 0 ? 1 : box.height / layer.height
  const placed = { ...layer, ...box }
  if (placed.type === 'text' && scalesText) {
    const fontSizePt = Math.min(MAX_FONT_PT, Math.max(0.1, Math.round(placed.fontSizePt * scaleY * 100) / 100))
    return { ...placed, fontSizePt }
  }
  if (placed.type === 'shape' && placed.shape === 'path' && placed.path !== undefined) {
    return { ...placed, path: scalePath(placed.path, scaleX, scaleY) }
  }
  return placed
}

/** Scales a layer by the same factor in both directions, with its distance from a point that stays. */
export function scaleLayer(layer: EditorLayer, factor: number, fixed: Point): EditorLayer {
  const centre = centreOf(layer)
  const width = roundMm(layer.width * factor)
  const height = roundMm(layer.height * factor)
  const x = roundMm(fixed.x + (centre.x - fixed.x) * factor - width / 2)
  const y = roundMm(fixed.y + (centre.y - fixed.y) * factor - height / 2)
  return withBox(layer, { x, y, width, height }, true)
}

/**
 * Takes the position, size and rotation of another version of a layer, with what is scaled along. Its other fields stay,
 * because another tab may have changed them during a gesture.
 */
export function withGeometry(layer: EditorLayer, from: EditorLayer): EditorLayer {
  const { x, y, width, height, rotation } = from
  const placed = { ...layer, x, y, width, height, rotation }
  if (placed.type === 'text' && from.type === 'text') return { ...placed, fontSizePt: from.fontSizePt }
  if (placed.type === 'shape' && from.type === 'shape' && from.path !== undefined) return { ...placed, path: from.path }
  return placed
}
