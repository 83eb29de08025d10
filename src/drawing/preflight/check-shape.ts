import { parsePath } from '../shapes/svg-path.ts'
import { mmToPt, ptToMm } from '../shapes/units.ts'
import { ceilMm, type LayerOf, shown } from './context.ts'
import type { Finding } from './issue.ts'

const THIN_PT = 0.25

/** Path data and line width of a shape. */
export function checkShape(layer: LayerOf<'shape'>): Finding[] {
  return [...checkPath(layer), ...checkStroke(layer)]
}

function checkPath(layer: LayerOf<'shape'>): Finding[] {
  if (layer.shape !== 'path') return []
  const parsed = parsePath(layer.path ?? '')
  if (parsed.ok) return []
  const message = `The path data is not valid: ${parsed.reason} (at offset ${parsed.offset}).`
  return [{ code: 'invalid_path', severity: 'error', field: 'path', message }]
}

function checkStroke({ stroke }: LayerOf<'shape'>): Finding[] {
  if (stroke === undefined) return []
  const measured = mmToPt(stroke.widthMm)
  if (measured >= THIN_PT) return []
  return [
    {
      code: 'line_too_thin',
      severity: 'warning',
      field: 'stroke/widthMm',
      message: `A line of ${shown(measured, 3)} pt may not print; use ${THIN_PT} pt or more.`,
      measured,
      limit: THIN_PT,
      unit: 'pt',
      remedies: () => [[{ field: 'stroke/widthMm', value: ceilMm(ptToMm(THIN_PT)) }]],
    },
  ]
}
