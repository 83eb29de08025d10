import { fillPlaceholders } from '../placeholders.ts'
import { luminance, parseColor, type Rgba } from '../shapes/color.ts'
import { QUIET_ZONE_MODULES, qrCode } from '../shapes/qr.ts'
import { type CheckContext, ceilMm, EPSILON_MM, floorMm, type LayerOf, shown } from './context.ts'
import type { Change, Finding } from './issue.ts'

type Qr = LayerOf<'qr'>

const SMALLEST_MODULE_MM = 0.35
/** Symbol contrast for grade C of ISO/IEC 15415, the least that every reader must cope with, in percent. */
const LEAST_CONTRAST = 40

/** Whether a QR code can be made and read. */
export function checkQr(layer: Qr, { data }: CheckContext): Finding[] {
  const code = qrCode(fillPlaceholders(layer.value, data), layer.errorCorrection)
  if (code === undefined) return [valueTooLong(layer)]
  return [...checkContrast(layer), ...checkModules(layer, code.size)]
}

function valueTooLong({ errorCorrection }: Qr): Finding {
  const message = `No QR code holds this value at level ${errorCorrection}.`
  const remedies = () => (['Q', 'M', 'L'] as const).map((value): Change[] => [{ field: 'errorCorrection', value }])
  return { code: 'qr_value_too_long', severity: 'error', field: 'value', message, remedies }
}

const PAPER: Rgba = { red: 1, green: 1, blue: 1, alpha: 1 }

function checkContrast(layer: Qr): Finding[] {
  const measured = 100 * contrast(layer)
  if (measured >= LEAST_CONTRAST) return []
  const dark: Change = { field: 'color', value: '#000000' }
  const light: Change = { field: 'background', value: '#FFFFFF' }
  const opaque: Change = { field: 'opacity', value: 1 }
  return [
    {
      code: 'qr_contrast_low',
      severity: 'error',
      field: '',
      message: `The QR code's modules are ${shown(measured, 0)} % darker than its background; ${LEAST_CONTRAST} % are needed.`,
      measured: Number(measured.toFixed(2)),
      limit: LEAST_CONTRAST,
      unit: '%',
      remedies: () => [[dark], [light], [dark, light], [dark, light, opaque]],
    },
  ]
}

// Symbol contrast of ISO/IEC 15415: reflectance of the light modules minus that of the dark ones, on white paper.
function contrast({ color, background, opacity }: Qr): number {
  const ground = faded(parseColor(background), opacity)
  const groundOnPaper = {
    red: mix(ground.red, ground.alpha),
    green: mix(ground.green, ground.alpha),
    blue: mix(ground.blue, ground.alpha),
    alpha: 1,
  }
  return luminance(groundOnPaper, PAPER) - luminance(faded(parseColor(color), opacity), groundOnPaper)
}

function faded(color: Rgba, opacity: number): Rgba {
  return { ...color, alpha: color.alpha * opacity }
}

function mix(channel: number, alpha: number): number {
  return channel * alpha + 1 - alpha
}

function checkModules(layer: Qr, size: number): Finding[] {
  const modules = size + 2 * QUIET_ZONE_MODULES
  const measured = Math.min(layer.width, layer.height) / modules
  if (measured >= SMALLEST_MODULE_MM - EPSILON_MM) return []
  return [
    {
      code: 'qr_too_small',
      severity: 'warning',
      field: '',
      message: `The QR code's modules are ${shown(measured, 3)} mm wide; phones want ${SMALLEST_MODULE_MM} mm.`,
      measured: Number(measured.toFixed(4)),
      limit: SMALLEST_MODULE_MM,
      unit: 'mm',
      remedies: () => [enlarged(layer, ceilMm(SMALLEST_MODULE_MM * modules))],
    },
  ]
}

function enlarged({ x, y, width, height }: Qr, sideMm: number): Change[] {
  const newWidth = Math.max(width, sideMm)
  const newHeight = Math.max(height, sideMm)
  return [
    { field: 'x', value: floorMm(x - (newWidth - width) / 2) },
    { field: 'y', value: floorMm(y - (newHeight - height) / 2) },
    { field: 'width', value: newWidth },
    { field: 'height', value: newHeight },
  ]
}
