import { centreOf, type DesignDocument, type Point, type Rect } from '@platen/drawing'
import { boundsOfAll } from './geometry/boxes.ts'
import { moveLayer, rotateLayer } from './geometry/transform.ts'
import { changeLayers, type EditorLayer } from './layers.ts'

export type Alignment = 'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom'
export type Axis = 'horizontal' | 'vertical'

/** Layers that move as one: a single layer, or all layers of a group. */
type Unit = readonly EditorLayer[]

function unitsOf(layers: readonly EditorLayer[]): Unit[] {
  const groups = Map.groupBy(layers, ({ id, group }) => (group === undefined ? `layer ${id}` : `group ${group}`))
  return [...groups.values()]
}

/**
 * Aligns layers by their bounds. Several layers or groups are aligned within their common bounds, a single one within
 * `trim`.
 */
export function alignLayers(
  document: DesignDocument,
  layers: readonly EditorLayer[],
  alignment: Alignment,
  trim: Rect,
): DesignDocument {
  const units = unitsOf(layers)
  const frame = units.length === 1 ? trim : boundsOfAll(layers)
  return moveUnits(document, units, (unit) => offsetInto(boundsOfAll(unit), frame, alignment))
}

function offsetInto(rect: Rect, frame: Rect, alignment: Alignment): Point {
  const spareX = frame.x + frame.width - (rect.x + rect.width)
  const spareY = frame.y + frame.height - (rect.y + rect.height)
  switch (alignment) {
    case 'left':
      return { x: frame.x - rect.x, y: 0 }
    case 'center':
      return { x: (frame.x - rect.x + spareX) / 2, y: 0 }
    case 'right':
      return { x: spareX, y: 0 }
    case 'top':
      return { x: 0, y: frame.y - rect.y }
    case 'middle':
      return { x: 0, y: (frame.y - rect.y + spareY) / 2 }
    case 'bottom':
      return { x: 0, y: spareY }
  }
}

/** Tells whether `distributeLayers` can do anything: it needs three layers or groups. */
export function canDistribute(layers: readonly EditorLayer[]): boolean {
  return unitsOf(layers).length >= 3
}

/** Moves all layers or groups between the first and the last one, so that the gaps between their bounds are equal. */
export function distributeLayers(document: DesignDocument, layers: readonly EditorLayer[], axis: Axis): DesignDocument {
  if (!canDistribute(layers)) return document
  const spans = unitsOf(layers)
    .map((unit) => ({ unit, ...spanOf(boundsOfAll(unit), axis) }))
    .sort((a, b) => a.start + a.length / 2 - (b.start + b.length / 2))
  const start = Math.min(...spans.map((span) => span.start))
  const end = Math.max(...spans.map((span) => span.start + span.length))
  const used = spans.reduce((sum, span) => sum + span.length, 0)
  const gap = (end - start - used) / (spans.length - 1)
  const offsets = new Map<Unit, Point>()
  let at = start
  for (const span of spans) {
    offsets.set(span.unit, axis === 'horizontal' ? { x: at - span.start, y: 0 } : { x: 0, y: at - span.start })
    at += span.length + gap
  }
  return moveUnits(document, [...offsets.keys()], (unit) => offsets.get(unit) ?? { x: 0, y: 0 })
}

function spanOf({ x, y, width, height }: Rect, axis: Axis): { start: number; length: number } {
  return axis === 'horizontal' ? { start: x, length: width } : { start: y, length: height }
}

function moveUnits(document: DesignDocument, units: readonly Unit[], offsetOf: (unit: Unit) => Point): DesignDocument {
  const offsets = new Map(units.flatMap((unit) => unit.map(({ id }) => [id, offsetOf(unit)] as const)))
  return changeLayers(document, [...offsets.keys()], (layer) =>
    moveLayer(layer, offsets.get(layer.id) ?? { x: 0, y: 0 }),
  )
}

/** Moves layers by an offset in millimetres. */
export function moveLayers(document: DesignDocument, layerIds: readonly string[], offset: Point): DesignDocument {
  return changeLayers(document, layerIds, (layer) => moveLayer(layer, offset))
}

/** Rotates layers around the centre of their common bounds, in degrees clockwise. */
export function rotateLayers(
  document: DesignDocument,
  layers: readonly EditorLayer[],
  degrees: number,
): DesignDocument {
  if (layers.length === 0) return document
  const [only] = layers
  // The centre of the bounds of a layer is its own centre, but only up to a float error.
  const centre = layers.length === 1 && only !== undefined ? centreOf(only) : centreOf(boundsOfAll(layers))
  const ids = layers.map(({ id }) => id)
  return changeLayers(document, ids, (layer) => rotateLayer(layer, degrees, centre))
}
