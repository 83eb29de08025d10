import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSamples } from './open-image.ts'
import { chunks, pngChunk } from './png.ts'

/** Creates a folder that is removed after the test, and a function that writes files into it. */
export function scratch(t: { after(clean: () => void): void }) {
  const dir = mkdtempSync(join(tmpdir(), 'platen-rendering-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const put = (bytes: Uint8Array | string, name: string = randomUUID()) => {
    const path = join(dir, name)
    writeFileSync(path, bytes)
    return path
  }
  return { dir, put }
}

/** Returns samples that resemble a photo: soft colours under fine noise, equal in each call. */
export function photo(width: number, height: number, channels: 1 | 3 | 4 = 3) {
  const samples = Buffer.alloc(width * height * channels)
  let seed = 1
  for (let at = 0; at < samples.length; at += 1) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    const pixel = Math.floor(at / channels)
    const x = pixel % width
    const y = Math.floor(pixel / width)
    const wave = Math.sin(x / (17 + 9 * (at % channels)) + y / 41)
    samples[at] = 128 + 90 * wave + (seed >>> 24) / 10
  }
  return openSamples(samples, { width, height, channels })
}

/**
 * Returns samples in four quarters: red top left, green top right, blue bottom left, white bottom right. Each
 * orientation of the image gives another pattern.
 */
export function quarters(width: number, height: number) {
  const samples = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const colors = y < height / 2 ? [RED, GREEN] : [BLUE, WHITE]
      samples.set((x < width / 2 ? colors[0] : colors[1]) ?? WHITE, (y * width + x) * 3)
    }
  }
  return openSamples(samples, { width, height, channels: 3 })
}

export const RED = [255, 0, 0]
export const GREEN = [0, 255, 0]
export const BLUE = [0, 0, 255]
export const WHITE = [255, 255, 255]

/**
 * Returns a PNG of a few bytes whose header states the given size. The kinds that begin with `heavy` state 16-bit RGBA.
 */
export function pngClaiming(width: number, height: number, kind?: 'heavy' | 'heavy interlaced'): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set(kind === undefined ? [8, 2] : [16, 6, 0, 0, kind === 'heavy' ? 0 : 1], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const rows = Buffer.from('789c030000000001', 'hex')
  return Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IDAT', rows), pngChunk('IEND', Buffer.alloc(0))])
}

/** Returns a copy of a JPEG file whose frame header states the given size. */
export function jpegClaiming(width: number, height: number, file: Buffer): Buffer {
  const claiming = Buffer.from(file)
  const frame = Math.max(file.indexOf('ffc0', 'hex'), file.indexOf('ffc2', 'hex'))
  claiming.writeUInt16BE(height, frame + 5)
  claiming.writeUInt16BE(width, frame + 7)
  return claiming
}

/** Returns an EXIF record that contains only an orientation. */
export function exifTurning(orientation: number): Buffer {
  return Buffer.from(
    `4d4d002a000000080001011200030000000100${orientation.toString(16).padStart(2, '0')}000000000000`,
    'hex',
  )
}

const PNG_PIXELS = Buffer.from('IDAT')

/** Returns a copy of a PNG file with additional chunks before its pixels. */
export function withPngChunks(file: Buffer, added: Readonly<Record<string, Buffer>>): Buffer {
  const pixels = file.indexOf(PNG_PIXELS) - 4
  const chunks = Object.entries(added).map(([type, data]) => pngChunk(type, data))
  return Buffer.concat([file.subarray(0, pixels), ...chunks, file.subarray(pixels)])
}

/** Returns a copy of a PNG file with the given compressed pixels. */
export function withPngPixels(file: Buffer, pixels: Buffer): Buffer {
  const kept = Array.from(chunks(file)).filter(({ type }) => type !== 'IDAT' && type !== 'IEND')
  const ends = [pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([file.subarray(0, 8), ...kept.map(({ whole }) => whole), ...ends])
}

type TiffSamples = {
  bits: number
  /** The sample format: 1 for unsigned integers, 2 for signed integers, 3 for floating-point numbers. */
  format: number
  /** The photometric interpretation: 2 for RGB, 8 for CIELAB. */
  photometric?: number
}

/** Returns a TIFF of 4 by 4 pixels with three samples each, in one strip (TIFF 6.0, sections 2, 6 and 19). */
export function tiffOf({ bits, format, photometric = 2 }: TiffSamples): Buffer {
  const strip = Buffer.alloc((4 * 4 * 3 * bits) / 8, 90)
  const [short, long] = [3, 4]
  const dataAt = 8 + 2 + 11 * 12 + 4
  const entries = [
    [256, short, 1, 4],
    [257, short, 1, 4],
    [258, short, 3, dataAt],
    [259, short, 1, 1],
    [262, short, 1, photometric],
    [273, long, 1, dataAt + 12],
    [277, short, 1, 3],
    [278, short, 1, 4],
    [279, long, 1, strip.length],
    [284, short, 1, 1],
    [339, short, 3, dataAt + 6],
  ]
  const head = Buffer.alloc(dataAt + 12)
  head.write('II*\0\b\0\0\0', 'latin1')
  head.writeUInt16LE(entries.length, 8)
  for (const [index, [tag = 0, type = 0, count = 0, value = 0]] of entries.entries()) {
    head.writeUInt16LE(tag, 10 + index * 12)
    head.writeUInt16LE(type, 12 + index * 12)
    head.writeUInt32LE(count, 14 + index * 12)
    head.writeUInt32LE(value, 18 + index * 12)
  }
  for (const at of [0, 2, 4]) {
    head.writeUInt16LE(bits, dataAt + at)
    head.writeUInt16LE(format, dataAt + 6 + at)
  }
  return Buffer.concat([head, strip])
}

/** Encodes numbers as 32 bits each, in the byte order of PNG. */
export function pngNumbers(...values: number[]): Buffer {
  const data = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) data.writeUInt32BE(value, index * 4)
  return data
}

/**
 * Reverses the filters of PNG (W3C PNG, third edition, section 9) to convert the rows of an image in a PDF to samples.
 */
export function unfilterRows(filtered: Buffer, widthPx: number, components: number): Buffer {
  const rowBytes = widthPx * components
  const rows = Buffer.alloc((filtered.length / (rowBytes + 1)) * rowBytes)
  for (let row = 0; row * rowBytes < rows.length; row += 1) {
    const filter = filtered[row * (rowBytes + 1)]
    for (let column = 0; column < rowBytes; column += 1) {
      const at = row * rowBytes + column
      const left = column < components ? 0 : (rows[at - components] ?? 0)
      const up = row === 0 ? 0 : (rows[at - rowBytes] ?? 0)
      const corner = row === 0 || column < components ? 0 : (rows[at - rowBytes - components] ?? 0)
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0
      rows[at] = (filtered[row * (rowBytes + 1) + 1 + column] ?? 0) + predicted
    }
  }
  return rows
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner
  const [l, u, c] = [left, up, corner].map((value) => Math.abs(estimate - value)) as [number, number, number]
  if (l <= u && l <= c) return left
  return u <= c ? up : corner
}
