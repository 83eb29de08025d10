/**
 * A tag of a profile: its signature and its data. If several tags share one `data` object, the profile stores it once.
 */
export type ProfileTag = readonly [signature: string, data: Buffer]

export type ProfileOptions = {
  /** `mntr` is a display device, `prtr` an output device. */
  deviceClass: 'mntr' | 'prtr'
  colorSpace: 'RGB ' | 'GRAY'
  description: string
  tags: readonly ProfileTag[]
}

/**
 * X, Y and Z of illuminant D50 of the profile connection space (ICC.1, section 7.2.16), in the precision of 16.16
 * fixed-point numbers.
 */
export const D50 = [0xf6d6 / 0x10000, 1, 0xd32d / 0x10000] as const

const HEADER_BYTES = 128
const TAG_BYTES = 12

/**
 * Writes an ICC profile of version 2.4 (ICC.1:2001-04) with the connection space XYZ. Every PDF reader supports version
 * 2. The result is the same at any time and on any computer.
 */
export function buildProfile({ deviceClass, colorSpace, description, tags }: ProfileOptions): Buffer {
  const all: ProfileTag[] = [
    ['desc', descriptionTag(description)],
    ['cprt', textTag('No copyright, use freely')],
    ['wtpt', xyzTag(D50)],
    ...tags,
  ]
  const table = Buffer.alloc(4 + all.length * TAG_BYTES)
  table.writeUInt32BE(all.length)
  const offsets = new Map<Buffer, number>()
  const parts: Buffer[] = []
  let end = HEADER_BYTES + table.length
  for (const [index, [signature, data]] of all.entries()) {
    const offset = offsets.get(data) ?? end
    if (offset === end) {
      const padded = Buffer.alloc(Math.ceil(data.length / 4) * 4)
      data.copy(padded)
      parts.push(padded)
      offsets.set(data, offset)
      end += padded.length
    }
    const entry = 4 + index * TAG_BYTES
    table.write(signature, entry, 'latin1')
    table.writeUInt32BE(offset, entry + 4)
    table.writeUInt32BE(data.length, entry + 8)
  }
  return Buffer.concat([header(end, deviceClass, colorSpace), table, ...parts])
}

function header(size: number, deviceClass: string, colorSpace: string): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  bytes.writeUInt32BE(size)
  bytes.writeUInt32BE(0x02400000, 8)
  bytes.write(`${deviceClass}${colorSpace}XYZ `, 12, 'latin1')
  // Writes a fixed date (year, month, day), so that the bytes do not depend on the clock.
  for (const [index, part] of [2000, 1, 1].entries()) bytes.writeUInt16BE(part, 24 + index * 2)
  bytes.write('acsp', 36, 'latin1')
  for (const [index, value] of D50.entries()) bytes.writeInt32BE(Math.round(value * 0x10000), 68 + index * 4)
  return bytes
}

function typed(signature: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(signature, 'latin1'), Buffer.alloc(4), data])
}

function textTag(text: string): Buffer {
  return typed('text', Buffer.from(`${text}\0`, 'latin1'))
}

/**
 * Writes a textDescriptionType (ICC.1:2001-04, section 6.5.17) with an ASCII name and with empty Unicode and Macintosh
 * names.
 */
function descriptionTag(text: string): Buffer {
  const ascii = Buffer.from(`${text}\0`, 'latin1')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(ascii.length)
  return typed('desc', Buffer.concat([length, ascii, Buffer.alloc(4 + 4 + 2 + 1 + 67)]))
}

/** Writes an XYZType with three values between -2 and 2. */
function xyzTag(values: readonly number[]): Buffer {
  const data = Buffer.alloc(12)
  for (const [index, value] of values.entries()) data.writeInt32BE(Math.round(value * 0x10000), index * 4)
  return typed('XYZ ', data)
}

/**
 * Returns the tags of a profile with a matrix and one curve.
 *
 * @param colorants X, Y and Z of red, green and blue, adapted to D50
 */
export function rgbTags(colorants: readonly (readonly number[])[], curve: Buffer): ProfileTag[] {
  return ['r', 'g', 'b'].flatMap((channel, index): ProfileTag[] => [
    [`${channel}XYZ`, xyzTag(colorants[index] ?? [])],
    [`${channel}TRC`, curve],
  ])
}

/** Writes a curveType: evenly spaced samples of a function over the range 0 to 1. */
export function curveTag(samples: number, value: (x: number) => number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(samples)
  return typed('curv', Buffer.concat([count, table16(samples, value)]))
}

export type Lut16 = {
  inputs: 3
  outputs: 1 | 3
  /** Three rows of three numbers. The matrix is applied before the curves and the table. */
  matrix: readonly (readonly number[])[]
  /** The curve that is applied to each input channel. */
  inputCurve: Buffer
  /** The outputs, each 0 to 1, at the corners of a cube with two points per channel. The last input varies fastest. */
  corners: readonly (readonly number[])[]
  outputCurve: Buffer
}

/** Writes a lut16Type (ICC.1:2001-04, section 6.5.8). */
export function lut16Tag({ inputs, outputs, matrix, inputCurve, corners, outputCurve }: Lut16): Buffer {
  const head = Buffer.alloc(44)
  head.set([inputs, outputs, 2])
  for (const [index, value] of matrix.flat().entries()) head.writeInt32BE(Math.round(value * 0x10000), 4 + index * 4)
  head.writeUInt16BE(inputCurve.length / 2, 40)
  head.writeUInt16BE(outputCurve.length / 2, 42)
  const flat = corners.flat()
  const cube = table16(flat.length, (_, index) => flat[index] ?? 0)
  const repeat = (curve: Buffer, count: number) => Array<Buffer>(count).fill(curve)
  return typed('mft2', Buffer.concat([head, ...repeat(inputCurve, inputs), cube, ...repeat(outputCurve, outputs)]))
}

/** Samples a function evenly over the range 0 to 1, as 16-bit numbers. Results outside the range are clipped. */
export function table16(samples: number, value: (x: number, index: number) => number): Buffer {
  const data = Buffer.alloc(samples * 2)
  for (let index = 0; index < samples; index += 1) {
    const sample = Math.round(value(index / (samples - 1), index) * 0xffff)
    data.writeUInt16BE(Math.min(0xffff, Math.max(0, sample)), index * 2)
  }
  return data
}
