import { type FileHandle, open } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import { type Chromaticities, makeGrayProfile, makeRgbProfile, PRIMARIES, TRANSFERS } from '../color/make-profile.ts'
import { srgbToLinear } from '../color/srgb.ts'
import { pngChunk } from './png.ts'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const COLOR_CHUNKS = new Set(['IHDR', 'cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM'])
/** The most chunks that are read before the pixels. Real files have far fewer. */
const MAX_CHUNKS = 200
/** The most bytes that are read from a chunk. Only the presence of a profile matters, so its data are not needed. */
const MAX_DATA_BYTES = 32

/**
 * Makes a profile for the colours that a PNG file states by numbers: in `cICP`, or in `gAMA` with `cHRM` if no other
 * chunk describes colours (W3C PNG, third edition, section 11.3.2). libvips does not read these numbers.
 * @returns undefined for sRGB, for files without such numbers, and if the file has a profile that takes precedence
 */
export async function statedPngProfile(path: string): Promise<Buffer | undefined> {
  const file = await open(path)
  try {
    return profileOf(await colorChunks(file))
  } finally {
    await file.close()
  }
}

/**
 * Reads a PNG file with the given profile instead of all other colour information. A file has up to 64 MiB, so memory holds
 * it once: the kept chunks move to the front of the buffer into which the file was read.
 */
export async function readWithPngProfile(path: string, profile: Buffer): Promise<Buffer<ArrayBuffer>> {
  const named = Buffer.concat([Buffer.from('stated\0\0', 'latin1'), deflateSync(profile)])
  const added = pngChunk('iCCP', named)
  const file = await readBehind(path, added.length)
  let [at, end] = [added.length + SIGNATURE.length, SIGNATURE.copy(file)]
  let isAdded = false
  while (at + 12 <= file.length) {
    const next = at + 12 + file.readUInt32BE(at)
    if (next > file.length) break
    const type = file.toString('latin1', at + 4, at + 8)
    if (type === 'IHDR' || !COLOR_CHUNKS.has(type)) {
      file.copyWithin(end, at, next)
      end += next - at
    }
    // The profile must follow the header, because decoders reject a profile before it.
    if (type === 'IHDR' && !isAdded) {
      end += added.copy(file, end)
      isAdded = true
    }
    at = next
  }
  return file.subarray(0, end)
}

/** Reads a file into a buffer of its own, behind unused bytes. */
async function readBehind(path: string, unused: number): Promise<Buffer<ArrayBuffer>> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const whole = Buffer.allocUnsafeSlow(unused + size)
    let at = unused
    while (at < whole.length) {
      const { bytesRead } = await file.read(whole, at, whole.length - at, at - unused)
      if (bytesRead === 0) break
      at += bytesRead
    }
    return whole.subarray(0, at)
  } finally {
    await file.close()
  }
}

/** Reads the chunks with colour information. They come before the pixels. */
async function colorChunks(file: FileHandle): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  for await (const { type, head } of chunksBeforePixels(file)) if (COLOR_CHUNKS.has(type)) found.set(type, head)
  return found
}

/** Returns the first bytes of the data of a chunk before the pixels. Undefined if the PNG file has none of this type. */
export async function findPngChunk(file: FileHandle, wanted: string, maxBytes: number): Promise<Buffer | undefined> {
  for await (const { type, at, length } of chunksBeforePixels(file)) {
    if (type === wanted) return readAt(file, at, Math.min(length, maxBytes))
  }
  return undefined
}

/** Yields where the data of each chunk are, and the first of them. */
async function* chunksBeforePixels(file: FileHandle) {
  let at = SIGNATURE.length
  if (!(await readAt(file, 0, at)).equals(SIGNATURE)) return
  for (let count = 0; count < MAX_CHUNKS; count += 1) {
    const start = await readAt(file, at, 8 + MAX_DATA_BYTES)
    if (start.length < 8) return
    const length = start.readUInt32BE(0)
    const type = start.toString('latin1', 4, 8)
    if (type === 'IDAT') return
    yield { type, at: at + 8, length, head: start.subarray(8, 8 + length) }
    at += length + 12
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

function profileOf(found: ReadonlyMap<string, Buffer>): Buffer | undefined {
  const colorType = found.get('IHDR')?.[9]
  const make = (primaries: Chromaticities | undefined, toLinear: (x: number) => number) => {
    const isGray = colorType === 0 || colorType === 4
    if (isGray) return toLinear === srgbToLinear ? undefined : makeGrayProfile(toLinear)
    if (primaries !== undefined) return makeRgbProfile(primaries, toLinear)
    return toLinear === srgbToLinear ? undefined : makeRgbProfile(PRIMARIES[1] ?? [], toLinear)
  }
  const coded = found.get('cICP')
  if (coded?.length === 4) {
    const [primaries = 0, transfer = 0] = coded
    const toLinear = TRANSFERS[transfer]
    if (toLinear !== undefined && primaries in PRIMARIES) {
      return make(primaries === 1 ? undefined : PRIMARIES[primaries], toLinear)
    }
  }
  const gamma = found.get('gAMA')
  if (found.has('iCCP') || found.has('sRGB') || gamma?.length !== 4) return undefined
  const toLinear = linearizer(gamma.readUInt32BE() / 100_000)
  return toLinear && make(statedPrimaries(found.get('cHRM')), toLinear)
}

/**
 * Returns the function that converts a sample to linear light. `exponent` comes from `gAMA` and maps light to samples.
 * sRGB files state 0.45455, although the curve of sRGB is not a pure power.
 */
function linearizer(exponent: number): ((x: number) => number) | undefined {
  if (Math.abs(exponent - 0.45455) < 0.01) return srgbToLinear
  return exponent >= 0.1 && exponent <= 10 ? (x) => x ** (1 / exponent) : undefined
}

/** Reads the chromaticities from `cHRM`. Returns undefined if they are those of sRGB or invalid. */
function statedPrimaries(data: Buffer | undefined): Chromaticities | undefined {
  if (data?.length !== 32) return undefined
  const pair = (at: number) => [data.readUInt32BE(at) / 100_000, data.readUInt32BE(at + 4) / 100_000] as const
  const primaries = [0, 8, 16, 24].map(pair)
  const srgb = PRIMARIES[1]?.flat() ?? []
  const isSrgb = primaries.flat().every((value, index) => Math.abs(value - (srgb[index] ?? 0)) < 0.005)
  const isPossible = primaries.every(([x, y]) => x > 0 && y > 0.01 && x + y <= 1)
  return isSrgb || !isPossible ? undefined : primaries
}
