import type { Layer, PrintArea } from '../document.ts'
import { boundsOf, grown, type Point, polygonOverlapsRect, type Rect } from '../shapes/geometry.ts'
import type { TextLayout } from '../text/layout.ts'
import { type CheckContext, ceilMm, EPSILON_MM, floorMm, shown } from './context.ts'
import { layerPolygon, textPolygon } from './extents.ts'
import type { Change, Finding } from './issue.ts'

/** Where a layer lies: outside the print area, too near the cut, or short of the bleed. */
export function checkPosition(layer: Layer, layout: TextLayout | undefined, context: CheckContext): Finding[] {
  const { area } = context
  const trim: Rect = { x: 0, y: 0, width: area.widthMm, height: area.heightMm }
  const polygon = layerPolygon(layer, context.assets)
  if (!polygonOverlapsRect(polygon, grown(trim, area.bleedMm))) return [outsidePrintArea(layer, polygon, trim, area)]
  if (layer.type === 'qr') return checkSafeArea(layer, polygon, trim, area)
  if (layer.type === 'text') {
    const lines = layout === undefined ? undefined : textPolygon(layer, layout)
    return lines === undefined ? [] : checkSafeArea(layer, lines, trim, area)
  }
  return checkBleed(layer, polygon, trim, area)
}

function outsidePrintArea(layer: Layer, polygon: readonly Point[], trim: Rect, area: PrintArea): Finding {
  const bounds = boundsOf(polygon)
  return {
    code: 'layer_outside_print_area',
    severity: 'error',
    field: '',
    message: 'The layer lies wholly outside the print area and its bleed; none of it would be printed.',
    remedies: () => [
      ...movesInto(layer, bounds, grown(trim, -area.safeMarginMm - INSET_MM)),
      ...movesInto(layer, bounds, grown(trim, -INSET_MM)),
    ],
  }
}

// What just touches the trim edge should reach the bleed, so a moved layer keeps off it.
const INSET_MM = 0.001

function checkSafeArea(layer: Layer, polygon: readonly Point[], trim: Rect, area: PrintArea): Finding[] {
  const bounds = boundsOf(polygon)
  const distance = Math.min(
    bounds.x,
    bounds.y,
    trim.width - bounds.x - bounds.width,
    trim.height - bounds.y - bounds.height,
  )
  if (distance >= area.safeMarginMm - EPSILON_MM) return []
  const beyondTrim = distance < -EPSILON_MM
  const what = layer.type === 'qr' ? 'The QR code' : 'The text'
  const message = beyondTrim
    ? `${what} reaches ${shown(-distance)} mm beyond the trim edge and would be cut.`
    : `${what} is ${shown(distance)} mm from the trim edge; the safe margin is ${shown(area.safeMarginMm)} mm.`
  return [
    {
      code: 'outside_safe_area',
      severity: beyondTrim ? 'error' : 'warning',
      field: '',
      message,
      measured: Number(distance.toFixed(3)) + 0,
      limit: beyondTrim ? 0 : area.safeMarginMm,
      unit: 'mm',
      remedies: () => movesInto(layer, bounds, grown(trim, -area.safeMarginMm)),
    },
  ]
}

function movesInto(layer: Layer, bounds: Rect, target: Rect): Change[][] {
  const dx = shift(bounds.x, bounds.width, target.x, target.width)
  const dy = shift(bounds.y, bounds.height, target.y, target.height)
  if (dx === undefined || dy === undefined) return []
  const changes: Change[] = []
  if (dx !== 0) changes.push({ field: 'x', value: dx > 0 ? ceilMm(layer.x + dx) : floorMm(layer.x + dx) })
  if (dy !== 0) changes.push({ field: 'y', value: dy > 0 ? ceilMm(layer.y + dy) : floorMm(layer.y + dy) })
  return [changes]
}

// How far to move a stretch so that it lies within another; undefined when it is longer.
function shift(start: number, length: number, targetStart: number, targetLength: number): number | undefined {
  if (length > targetLength + EPSILON_MM) return undefined
  if (start < targetStart) return targetStart - start
  const over = start + length - targetStart - targetLength
  return over > 0 ? -over : 0
}

type Side = 'left' | 'top' | 'right' | 'bottom'

function checkBleed(
  layer: Layer & { type: 'image' | 'shape' },
  polygon: readonly Point[],
  trim: Rect,
  area: PrintArea,
): Finding[] {
  const paintsNothing = layer.type === 'shape' && layer.fill === undefined && layer.stroke === undefined
  if (area.bleedMm === 0 || paintsNothing || !polygonOverlapsRect(polygon, trim)) return []
  const reach = reachBeyond(boundsOf(polygon), trim)
  const short = SIDES.filter((side) => reach[side] >= -EPSILON_MM && reach[side] < area.bleedMm - EPSILON_MM)
  if (short.length === 0) return []
  const measured = Math.max(0, Math.min(...short.map((side) => reach[side])))
  return [
    {
      code: 'bleed_missing',
      severity: 'warning',
      field: '',
      message: `The layer touches the trim edge (${short.join(', ')}) but does not fill the bleed of ${shown(area.bleedMm)} mm.`,
      measured: Number(measured.toFixed(3)),
      limit: area.bleedMm,
      unit: 'mm',
      remedies: () => extendedToBleed(layer, reach, short, area.bleedMm),
    },
  ]
}

const SIDES = ['left', 'top', 'right', 'bottom'] as const

function reachBeyond(bounds: Rect, trim: Rect): Record<Side, number> {
  return {
    left: -bounds.x,
    top: -bounds.y,
    right: bounds.x + bounds.width - trim.width,
    bottom: bounds.y + bounds.height - trim.height,
  }
}

// Only the edges of an upright box can be moved one by one.
function extendedToBleed(layer: Layer, reach: Record<Side, number>, short: readonly Side[], bleed: number): Change[][] {
  if (layer.rotation % 360 !== 0) return []
  const missing = (side: Side) => (short.includes(side) ? ceilMm(bleed - reach[side]) : 0)
  const x = layer.x - missing('left')
  const y = layer.y - missing('top')
  const changes: Change[] = []
  if (x !== layer.x) changes.push({ field: 'x', value: floorMm(x) })
  if (y !== layer.y) changes.push({ field: 'y', value: floorMm(y) })
  const width = layer.x - floorMm(x) + layer.width + missing('right')
  const height = layer.y - floorMm(y) + layer.height + missing('bottom')
  if (short.includes('left') || short.includes('right')) changes.push({ field: 'width', value: ceilMm(width) })
  if (short.includes('top') || short.includes('bottom')) changes.push({ field: 'height', value: ceilMm(height) })
  return [changes]
}
