import { buildProfile, curveTag, D50, rgbTags } from './build-profile.ts'
import { dot, inverse, multiply } from './matrix.ts'
import { srgbToLinear } from './srgb.ts'

/** CIE x and y of white, red, green and blue, in this order. */
export type Chromaticities = readonly (readonly [x: number, y: number])[]

const D65 = [0.3127, 0.329] as const

/** Primaries by their code in ITU-T H.273, table 2: those of sRGB, Rec. 2020 and Display P3. */
export const PRIMARIES: Readonly<Record<number, Chromaticities>> = {
  1: [D65, [0.64, 0.33], [0.3, 0.6], [0.15, 0.06]],
  9: [D65, [0.708, 0.292], [0.17, 0.797], [0.131, 0.046]],
  12: [D65, [0.68, 0.32], [0.265, 0.69], [0.15, 0.06]],
}

/**
 * Functions that convert a sample to linear light, by their code in ITU-T H.273, table 3. HDR functions are left out,
 * because they do not define a colour in print.
 */
export const TRANSFERS: Readonly<Record<number, (x: number) => number>> = {
  4: (x) => x ** 2.2,
  5: (x) => x ** 2.8,
  8: (x) => x,
  13: srgbToLinear,
}

const CURVE_SAMPLES = 1024
const DESCRIPTION = 'Colours as the image file states them'

/**
 * Makes an RGB profile from primaries and a transfer function, for image files that state their colours by numbers.
 * Returns undefined if the primaries span no colours.
 */
export function makeRgbProfile(primaries: Chromaticities, toLinear: (x: number) => number): Buffer | undefined {
  const colorants = colorantsOf(primaries)
  // 16.16 fixed-point numbers in an XYZ tag cannot hold values of 2 or more.
  if (colorants === undefined || colorants.flat().some((value) => !(Math.abs(value) < 2))) return undefined
  const tags = rgbTags(colorants, curveTag(CURVE_SAMPLES, toLinear))
  return buildProfile({ deviceClass: 'mntr', colorSpace: 'RGB ', description: DESCRIPTION, tags })
}

export function makeGrayProfile(toLinear: (x: number) => number): Buffer {
  const tags = [['kTRC', curveTag(CURVE_SAMPLES, toLinear)]] as const
  return buildProfile({ deviceClass: 'mntr', colorSpace: 'GRAY', description: DESCRIPTION, tags })
}

/** The Bradford matrix for cone responses, which is used to adapt white (ICC.1:2022, annex E). */
const BRADFORD = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
]

function colorantsOf(chromaticities: Chromaticities): number[][] | undefined {
  const [white, ...primaries] = chromaticities.map(([x, y]) => [x / y, 1, (1 - x - y) / y])
  if (white === undefined || primaries.length !== 3) return undefined
  const columns = [0, 1, 2].map((axis) => primaries.map((xyz) => xyz[axis] ?? 0))
  const amounts = inverse(columns).map((row) => dot(row, white))
  const [from, to] = [white, D50].map((xyz) => BRADFORD.map((row) => dot(row, xyz))) as [number[], number[]]
  const scale = to.map((response, row) => [0, 1, 2].map((column) => (row === column ? response / (from[row] ?? 1) : 0)))
  const adapt = multiply(inverse(BRADFORD), multiply(scale, BRADFORD))
  return primaries.map((xyz, index) => adapt.map((row) => dot(row, xyz) * (amounts[index] ?? 0)))
}
