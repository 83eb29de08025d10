import { readProfile } from './read-profile.ts'
import { SRGB_COLORANTS, srgbToLinear } from './srgb.ts'

/** The fixed-point numbers and gammas of published profiles differ from the exact values in the third decimal. */
const TOLERANCE = 0.004

/**
 * Tells whether a profile describes the colours of sRGB. The decision uses its numbers, because names are unreliable:
 * some profiles with the name sRGB are linear, and many profiles of sRGB have another name.
 */
export function isSrgbProfile(bytes: Buffer): boolean {
  const profile = readProfile(bytes)
  // With lookup tables, a colour management system would ignore the matrix.
  if (profile?.colorSpace !== 'RGB' || profile.tags.has('A2B0')) return false
  return ['r', 'g', 'b'].every((channel, index) => {
    const colorant = readXyz(profile.tags.get(`${channel}XYZ`))
    const curve = readCurve(profile.tags.get(`${channel}TRC`))
    if (colorant === undefined || curve === undefined) return false
    return (
      colorant.every((value, axis) => isNear(value, SRGB_COLORANTS[index]?.[axis])) &&
      [0.02, 0.1, 0.25, 0.5, 0.75, 1].every((x) => isNear(curve(x), srgbToLinear(x)))
    )
  })
}

function isNear(value: number, expected = Number.NaN): boolean {
  return Math.abs(value - expected) < TOLERANCE
}

function readXyz(tag: Buffer | undefined): number[] | undefined {
  if (tag === undefined || tag.length < 20) return undefined
  return [8, 12, 16].map((at) => fixed(tag, at))
}

function readCurve(tag: Buffer | undefined): ((x: number) => number) | undefined {
  if (tag === undefined || tag.length < 12) return undefined
  const type = tag.toString('latin1', 0, 4)
  if (type === 'curv') return readSamples(tag)
  return type === 'para' ? readParametric(tag) : undefined
}

/**
 * Reads a curveType (ICC.1:2022, section 10.6): no value means linear, one value is a gamma, and more values are
 * samples.
 */
function readSamples(tag: Buffer): ((x: number) => number) | undefined {
  const count = tag.readUInt32BE(8)
  if (count === 0) return (x) => x
  if (tag.length < 12 + count * 2) return undefined
  if (count === 1) return (x) => x ** (tag.readUInt16BE(12) / 256)
  return (x) => {
    const at = x * (count - 1)
    const low = Math.min(Math.floor(at), count - 2)
    const [from, to] = [tag.readUInt16BE(12 + low * 2), tag.readUInt16BE(14 + low * 2)]
    return (from + (to - from) * (at - low)) / 0xffff
  }
}

/**
 * Reads a parametricCurveType (ICC.1:2022, section 10.18), limited to the functions that profiles of sRGB use: a gamma,
 * and curves with a linear part near zero.
 */
function readParametric(tag: Buffer): ((x: number) => number) | undefined {
  const kind = tag.readUInt16BE(8)
  const [gamma = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = Array.from(
    { length: (tag.length - 12) >> 2 },
    (_, index) => fixed(tag, 12 + index * 4),
  )
  if (kind === 0) return (x) => x ** gamma
  // Function type 4 adds an offset to both parts. Function type 3 has no offsets, so `e` and `f` are 0.
  return kind === 3 || kind === 4 ? (x) => (x >= d ? (a * x + b) ** gamma + e : c * x + f) : undefined
}

function fixed(tag: Buffer, at: number): number {
  return tag.readInt32BE(at) / 0x10000
}
