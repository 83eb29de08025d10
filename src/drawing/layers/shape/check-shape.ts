import type { Finding } from '../../checks/issue.ts'
import type { ShapeLayer } from '../../document/shape-layer.ts'
import { parsePath } from '../../shapes/path/svg-path.ts'
import { ceilMm, floorMm, mmToPt, ptToMm, shown } from '../../shapes/units.ts'
import { isFilled, isStroked, showsNothing } from './visibility.ts'

const THIN_PT = 0.25

/** Checks the path data of a shape, and whether its stroke, or a very narrow fill, is wide enough to print. */
export function checkShape(layer: ShapeLayer): Finding[] {
  return [...checkPath(layer), ...checkLine(layer)]
}

function checkPath(layer: ShapeLayer): Finding[] {
  if (layer.shape !== 'path') return []
  const parsed = parsePath(layer.path ?? '')
  if (parsed.ok) return []
  const message = `The path data is not valid: ${parsed.reason} (at offset ${parsed.offset}).`
  return [{ code: 'invalid_path', severity: 'error', field: 'path', message }]
}

function checkLine(layer: ShapeLayer): Finding[] {
  if (showsNothing(layer)) return []
  const { stroke } = layer
  if (stroke !== undefined && isStroked(layer))
    return thin(stroke.widthMm, 'stroke/widthMm', (widthMm) => ({ ...layer, stroke: { ...stroke, widthMm } }))
  if (!isFilled(layer) || layer.shape === 'path') return []
  const side = layer.width < layer.height ? 'width' : 'height'
  return thin(layer[side], side, (mm) => ({ ...layer, ...widened(layer, side, mm) }))
}

function thin(widthMm: number, field: string, withWidth: (mm: number) => ShapeLayer): Finding[] {
  const measured = mmToPt(widthMm)
  if (measured >= THIN_PT) return []
  const message = `A line of ${shown(measured, 3)} pt is too thin to print reliably; use ${THIN_PT} pt or more.`
  const remedies = () => [withWidth(ceilMm(ptToMm(THIN_PT)))]
  return [
    { code: 'line_too_thin', severity: 'warning', field, message, measured, limit: THIN_PT, unit: 'pt', remedies },
  ]
}

function widened(layer: ShapeLayer, side: 'width' | 'height', mm: number): Partial<ShapeLayer> {
  const half = (mm - layer[side]) / 2
  return side === 'width' ? { x: floorMm(layer.x - half), width: mm } : { y: floorMm(layer.y - half), height: mm }
}
