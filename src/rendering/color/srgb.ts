import { buildProfile, curveTag, D50, lut16Tag, rgbTags, table16 } from './build-profile.ts'
import { dot, inverse } from './matrix.ts'

/** Converts a value of sRGB (IEC 61966-2-1) to linear light, both in the range 0 to 1. */
export function srgbToLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

function linearToSrgb(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055
}

/**
 * X, Y and Z of red, green and blue, adapted to D50 (Bradford). Blue is computed as D50 minus red and green. The three
 * therefore add up to D50 exactly, and grey stays neutral.
 */
const RED = [0.43607, 0.22249, 0.01392] as const
const GREEN = [0.38515, 0.71687, 0.09708] as const
const BLUE = D50.map((white, index) => white - (RED[index] ?? 0) - (GREEN[index] ?? 0))
/** X, Y and Z of red, green and blue of sRGB, in the form that profiles contain. */
export const SRGB_COLORANTS: readonly (readonly number[])[] = [RED, GREEN, BLUE]
const TO_XYZ = RED.map((red, row) => [red, GREEN[row] ?? 0, BLUE[row] ?? 0])

/** The scale of XYZ in 16 bits: the value 1 is encoded as 32768 of 65535 (ICC.1:2001-04, section 6.5.9). */
const XYZ_UNIT = 0x8000 / 0xffff

const LINEAR = table16(2, (x) => x)
const UNIT_MATRIX = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]
const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((corner) => [(corner >> 2) & 1, (corner >> 1) & 1, corner & 1])

const SRGB_NAME = 'sRGB IEC61966-2.1'
const CURVE_SAMPLES = 1024

/** The profile that describes RGB values of files without a colour profile: sRGB, as a matrix and curves. */
export const SRGB_PROFILE: Buffer = buildProfile({
  deviceClass: 'mntr',
  colorSpace: 'RGB ',
  description: SRGB_NAME,
  tags: rgbTags(SRGB_COLORANTS, curveTag(CURVE_SAMPLES, srgbToLinear)),
})

/**
 * The profile that describes grey values without a colour profile: the greys of sRGB, because viewers show grey photos
 * with the curve of sRGB.
 */
export const GRAY_PROFILE: Buffer = buildProfile({
  deviceClass: 'mntr',
  colorSpace: 'GRAY',
  description: 'Grey with the curve of sRGB',
  tags: [['kTRC', curveTag(CURVE_SAMPLES, srgbToLinear)]],
})

/**
 * The profile of sRGB as an output condition. PDF/X requires a profile of class `prtr`, whose transforms are lookup
 * tables, but published profiles of sRGB describe displays. The tables in this profile are exact except for 16-bit
 * rounding. They contain the curves of sRGB and a cube of two points per side, which is exact for linear light.
 */
export const SRGB_OUTPUT_PROFILE: Buffer = buildProfile({
  deviceClass: 'prtr',
  colorSpace: 'RGB ',
  description: `${SRGB_NAME} (output)`,
  tags: outputTags(),
})

function outputTags() {
  const toXyz = lut16Tag({
    inputs: 3,
    outputs: 3,
    matrix: UNIT_MATRIX,
    inputCurve: table16(256, srgbToLinear),
    corners: CORNERS.map((rgb) => TO_XYZ.map((row) => XYZ_UNIT * dot(row, rgb))),
    outputCurve: LINEAR,
  })
  const fromXyz = lut16Tag({
    inputs: 3,
    outputs: 3,
    matrix: inverse(TO_XYZ).map((row) => row.map((value) => value / XYZ_UNIT)),
    inputCurve: LINEAR,
    corners: CORNERS,
    outputCurve: table16(CURVE_SAMPLES, linearToSrgb),
  })
  // A colour is out of gamut if a channel needs more than full light. Negative values need no check here, because they
  // are clipped before the table.
  const gamut = lut16Tag({
    inputs: 3,
    outputs: 1,
    matrix: inverse(TO_XYZ),
    inputCurve: table16(256, (x) => (x > XYZ_UNIT + 1 / 255 ? 1 : 0)),
    corners: CORNERS.map((over) => [over.includes(1) ? 1 : 0]),
    outputCurve: LINEAR,
  })
  return [
    ['A2B0', toXyz],
    ['A2B1', toXyz],
    ['A2B2', toXyz],
    ['B2A0', fromXyz],
    ['B2A1', fromXyz],
    ['B2A2', fromXyz],
    ['gamt', gamut],
  ] as const
}
