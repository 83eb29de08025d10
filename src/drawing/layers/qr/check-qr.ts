import type { CheckContext } from '../../checks/context.ts'
import type { Finding } from '../../checks/issue.ts'
import { movedToSafety } from '../../checks/moves.ts'
import { fillPlaceholders } from '../../document/placeholders.ts'
import type { QrLayer } from '../../document/qr-layer.ts'
import { ceilMm, EPSILON_MM, floorMm, shown } from '../../shapes/units.ts'
import { boxOutline } from '../../trim/outline.ts'
import { symbolContrast } from './contrast.ts'
import { coverOf, RECOVERABLE } from './cover.ts'
import { QUIET_ZONE_MODULES } from './qr-code.ts'
import { qrSize } from './qr-size.ts'

const SMALLEST_MODULE_MM = 0.35
/** The symbol contrast of grade C in ISO/IEC 15415, in percent. Every reader must support grade C. */
const LEAST_CONTRAST = 40

/** Checks whether a QR code can be created and scanned. */
export function checkQr(layer: QrLayer, context: CheckContext): Finding[] {
  const size = sizeOf(layer, context)
  if (size === undefined) return [valueTooLong(layer, context)]
  return [...checkContrast(layer, context), ...checkModules(layer, size, context), ...checkCover(layer, context)]
}

function sizeOf({ value, errorCorrection }: QrLayer, { data }: CheckContext): number | undefined {
  return qrSize(fillPlaceholders(value, data), errorCorrection)
}

function valueTooLong(layer: QrLayer, context: CheckContext): Finding {
  const message = `The value is too long for a QR code with error correction level ${layer.errorCorrection}.`
  const remedies = () => withLessCorrection(layer, context)
  return { code: 'qr_value_too_long', severity: 'error', field: 'value', message, remedies }
}

/** The error correction levels, strongest first. Each level needs more modules than the next one. */
const LEVELS = ['H', 'Q', 'M', 'L'] as const

function* withLessCorrection(layer: QrLayer, context: CheckContext): Iterable<QrLayer> {
  for (const errorCorrection of LEVELS.slice(LEVELS.indexOf(layer.errorCorrection) + 1)) {
    const weaker = { ...layer, errorCorrection }
    yield weaker
    const size = sizeOf(weaker, context)
    if (size !== undefined) yield* enlarged(weaker, size, context)
  }
}

/** Checks the contrast of a code with its background. */
export function checkContrast(layer: QrLayer, { layers }: CheckContext): Finding[] {
  const measured = 100 * symbolContrast(layer, layers)
  if (measured >= LEAST_CONTRAST) return []
  const dark = { color: '#000000' }
  const light = { background: '#FFFFFF' }
  return [
    {
      code: 'qr_contrast_low',
      severity: 'error',
      field: '',
      message: `The QR code's modules are ${shown(measured, 0)} % darker than its background; ${LEAST_CONTRAST} % is the minimum.`,
      measured,
      limit: LEAST_CONTRAST,
      unit: '%',
      remedies: () => [
        { ...layer, ...dark },
        { ...layer, ...light },
        { ...layer, ...dark, ...light },
        { ...layer, ...dark, ...light, opacity: 1 },
      ],
    },
  ]
}

/**
 * Checks whether layers above hide a code. A change of the code itself could not resolve the issue, so the issue has no
 * remedies.
 */
export function checkCover(layer: QrLayer, context: CheckContext): Finding[] {
  const cover = coverOf(layer, sizeOf(layer, context) ?? 0, context.layers)
  if (cover === undefined) return []
  const names = cover.ids.map((id) => `"${id}"`).join(', ')
  const most = RECOVERABLE[layer.errorCorrection]
  const message = `Layers above the QR code hide ${shown(cover.percent, 0)} % of it: ${names}. Error correction level ${layer.errorCorrection} restores at most ${most} %, and no finder pattern in a corner.`
  return [{ code: 'qr_contrast_low', severity: 'error', field: '', message }]
}

function checkModules(layer: QrLayer, size: number, context: CheckContext): Finding[] {
  const measured = Math.min(layer.width, layer.height) / (size + 2 * QUIET_ZONE_MODULES)
  if (measured >= SMALLEST_MODULE_MM - EPSILON_MM) return []
  return [
    {
      code: 'qr_too_small',
      severity: 'warning',
      field: '',
      message: `The QR code's modules are ${shown(measured, 3)} mm wide; phones need at least ${SMALLEST_MODULE_MM} mm.`,
      measured,
      limit: SMALLEST_MODULE_MM,
      unit: 'mm',
      remedies: () => readable(layer, size, context),
    },
  ]
}

function* readable(layer: QrLayer, size: number, context: CheckContext): Iterable<QrLayer> {
  yield* enlarged(layer, size, context)
  yield* withLessCorrection(layer, context)
}

/**
 * Yields the code with a box that is large enough for its modules: first around its centre, then moved to keep the
 * margin.
 */
function* enlarged(layer: QrLayer, size: number, context: CheckContext): Iterable<QrLayer> {
  const side = ceilMm(SMALLEST_MODULE_MM * (size + 2 * QUIET_ZONE_MODULES))
  const width = Math.max(layer.width, side)
  const height = Math.max(layer.height, side)
  const x = floorMm(layer.x - (width - layer.width) / 2)
  const y = floorMm(layer.y - (height - layer.height) / 2)
  const larger = { ...layer, x, y, width, height }
  yield larger
  yield* movedToSafety(larger, () => boxOutline(larger).points, context)
}
