import type { Layer } from '../../document/layer-types.ts'
import type { QrLayer } from '../../document/qr-layer.ts'
import { faded, luminance, over, parseColor, type Rgba } from '../../shapes/color.ts'
import { centreOf, type Point, turnedCorners } from '../../shapes/geometry.ts'
import { filledPart } from '../shape/filled-part.ts'
import { isFilled } from '../shape/visibility.ts'
import { qrSquare } from './qr-code.ts'

/**
 * Computes the symbol contrast of ISO/IEC 15415, from -1 to 1: the least difference in reflectance between light and
 * dark modules. If the background of the code is translucent, the filled rectangles and ellipses under the code and
 * white paper show through. The result ignores images, paths and texts under the code, because their appearance is
 * unknown here.
 *
 * @param layers all layers of the placement from bottom to top, including the code
 */
export function symbolContrast(code: QrLayer, layers: readonly Layer[]): number {
  const background = parseColor(code.background)
  const module = over(parseColor(code.color), background)
  const contrasts = groundsOf(code, layers).map((ground) => {
    const light = luminance(over(faded(background, code.opacity), ground))
    return light - luminance(over(faded(module, code.opacity), ground))
  })
  return Math.min(...contrasts)
}

/** Tells whether the layers under a code shine through its background. */
export function isSeeThrough({ background, opacity }: QrLayer): boolean {
  return parseColor(background).alpha * opacity < 1
}

const PAPER: Rgba = { red: 1, green: 1, blue: 1, alpha: 1 }

function groundsOf(code: QrLayer, layers: readonly Layer[]): Rgba[] {
  if (!isSeeThrough(code)) return [PAPER]
  const square = cornersOf(code)
  const below = layers.slice(
    0,
    Math.max(
      0,
      layers.findIndex(({ id }) => id === code.id),
    ),
  )
  let grounds: Rgba[] = [PAPER]
  for (const layer of below) {
    if (layer.type !== 'shape' || layer.shape === 'path' || layer.fill === undefined || !isFilled(layer)) continue
    const filled = filledPart(layer)
    if (!filled.overlaps(square)) continue
    const fill = faded(parseColor(layer.fill), layer.opacity)
    const covered = grounds.map((ground) => over(fill, ground))
    const whole = square.every(filled.contains)
    grounds = extremes(whole ? covered : [...grounds, ...covered])
  }
  return grounds
}

function cornersOf(code: QrLayer): Point[] {
  const { x, y, width, height } = qrSquare(code)
  return turnedCorners({ x: code.x + x, y: code.y + y, width, height }, code.rotation, centreOf(code))
}

// Many shapes under one code give many mixtures of colours. The worst contrast is at the darkest or the lightest
// mixture, so the function returns only the extremes.
function extremes(grounds: readonly Rgba[]): Rgba[] {
  if (grounds.length <= MIXTURES) return [...grounds]
  const sorted = grounds
    .map((ground) => ({ ground, light: luminance(ground) }))
    .sort((a, b) => a.light - b.light)
    .map(({ ground }) => ground)
  return [...sorted.slice(0, MIXTURES / 2), ...sorted.slice(-MIXTURES / 2)]
}

const MIXTURES = 8
