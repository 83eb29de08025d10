import { readFile, stat } from 'node:fs/promises'
import type { Metadata } from 'sharp'
import type { Orientation } from '../../drawing/engine.ts'
import { isSrgbProfile } from '../color/is-srgb.ts'
import { MAX_PROFILE_BYTES } from '../color/read-profile.ts'
import { type AssetRefusal, Refused } from '../errors.ts'
import { withJobMemory } from '../pool/pool-memory.ts'
import {
  claimedBytes,
  decoderBytes,
  MAX_DECODING_BYTES,
  turningBytes,
  wholeKind,
  withDecoder,
} from './decoding-memory.ts'
import { readJpegStream } from './jpeg.ts'
import { IMAGE_LIMITS, type ImageMediaType, isHugeProfile, openImage, sniffMediaType } from './open-image.ts'
import { hasHugePngProfile } from './profile-size.ts'

/** The properties of an image file. The size is that of the upright image, with its EXIF orientation applied. */
export type AssetInfo = {
  mediaType: ImageMediaType
  widthPx: number
  heightPx: number
  hasAlpha: boolean
  /** `srgb` means sRGB or RGB without a profile. `rgb` means RGB with a profile other than sRGB. */
  colorSpace: AssetColorSpace
  /** EXIF orientation of the stored pixels; 1 if they are upright. */
  orientation: Orientation
}

export type AssetColorSpace = 'srgb' | 'rgb' | 'gray' | 'cmyk' | 'lab'

/**
 * Detects the type of an image file from its content. Decodes the file completely, so that damage is found when the
 * file is uploaded, and not when the print file is made. If a file has several frames or pages, only the first one
 * counts.
 *
 * Rejects with `Refused`.
 */
export async function inspectImage(path: string): Promise<AssetInfo> {
  const { size } = await stat(path)
  if (size === 0) throw new Refused<AssetRefusal>('asset_unreadable', 'The file is empty.')
  if (size > IMAGE_LIMITS.bytes) throw new Refused<AssetRefusal>('asset_too_large', 'The file is larger than 64 MiB.')

  const mediaType = await sniffMediaType(path)
  if (mediaType === undefined) {
    throw new Refused<AssetRefusal>('asset_type_unsupported', 'The file is not a JPEG, PNG, WebP or TIFF image.')
  }
  if (await hasHugePngProfile(path)) throw profileTooLarge()
  const metadata = await readable(openImage(path).metadata())
  if (isHugeProfile(metadata)) throw profileTooLarge()
  checkSize(metadata)
  checkSamples(metadata)
  checkChannels(metadata)
  await checkMemory(path, metadata)
  const info = { mediaType, ...describe(metadata) }
  const bytes = claimedBytes(metadata)
  await withJobMemory(bytes, () => withDecoder(bytes, () => decodeAll(path, metadata)))
  return info
}

/** Decodes the whole image, to find damage. The decoded result is scaled down, to save memory. */
async function decodeAll(path: string, metadata: Metadata): Promise<void> {
  await readable(openImage(path).resize(64, 64, { fit: 'fill' }).raw().toBuffer())
  // If a JPEG is reduced in both directions, libvips decodes a fraction of it and accepts a file without its last rows.
  // libvips always reads a progressive JPEG to its end.
  if (metadata.format === 'jpeg' && !metadata.isProgressive) await readable(readAllRows(path, metadata))
}

/**
 * Decodes every row. Colours are not converted, because conversion at full size takes ten times as long as decoding.
 */
async function readAllRows(path: string, { width, height, space }: Metadata): Promise<void> {
  const narrow = { width: Math.min(width, 64), height, fit: 'fill' } as const
  const image = openImage(path, { ignoreIcc: true })
  await image.pipelineColourspace(space).resize(narrow).toColourspace(space).raw().toBuffer()
}

async function readable<T>(decoding: Promise<T>): Promise<T> {
  try {
    return await decoding
  } catch (error) {
    if (error instanceof Error && error.message.includes('exceeds pixel limit')) throw tooManyPixels()
    throw new Refused<AssetRefusal>('asset_unreadable', 'The image is damaged or truncated.')
  }
}

function checkSize({ width, height }: Metadata) {
  if (Math.max(width, height) > IMAGE_LIMITS.sidePx) {
    throw new Refused<AssetRefusal>('asset_too_large', `A side is longer than ${IMAGE_LIMITS.sidePx} pixels.`)
  }
}

/** The names that libvips uses for unsupported kinds of TIFF samples, with descriptions for the client. */
const UNSUPPORTED_SAMPLES: Readonly<Record<string, string>> = {
  char: 'signed integers of 8 bits',
  short: 'signed integers of 16 bits',
  uint: 'unsigned integers of 32 bits',
  int: 'signed integers of 32 bits',
  float: 'floating-point numbers',
  double: 'floating-point numbers',
  complex: 'complex numbers',
  dpcomplex: 'complex numbers',
}

/** The number of colour components of a pixel, by the name of the colour space in libvips. */
const COMPONENTS: Readonly<Record<string, number>> = {
  'b-w': 1,
  grey16: 1,
  srgb: 3,
  rgb: 3,
  rgb16: 3,
  scrgb: 3,
  lab: 3,
  labs: 3,
  cmyk: 4,
}

/**
 * Rejects a TIFF with additional channels for spot colours or masks. libvips decodes them, but a canvas cannot show
 * them.
 */
function checkChannels({ channels, space }: Metadata) {
  const components = COMPONENTS[space]
  if (components === undefined || channels <= components + 1) return
  throw new Refused<AssetRefusal>(
    'asset_type_unsupported',
    `The image has ${channels - components} channels in addition to its colours; only one, for transparency, is supported.`,
  )
}

/** Rejects kinds of samples for which the value of white is not defined. libvips would assume 255. */
function checkSamples({ depth, space }: Metadata) {
  const kind = UNSUPPORTED_SAMPLES[depth]
  // 16-bit Lab is supported, although its samples are signed.
  if (kind === undefined || space === 'labs') return
  throw new Refused<AssetRefusal>(
    'asset_type_unsupported',
    `The samples of the image are ${kind}; unsigned integers of 8 or 16 bits are supported.`,
  )
}

/**
 * Rejects images whose decoding for a print file would exceed the memory limit. Previews and this inspection need less
 * memory.
 */
async function checkMemory(path: string, metadata: Metadata) {
  const held = decoderBytes(metadata)
  const most = held + turningBytes(metadata)
  if (most <= MAX_DECODING_BYTES) return
  // A print file can contain this JPEG unchanged. The image is then not rotated, so rotation needs no memory.
  if (held <= MAX_DECODING_BYTES && metadata.format === 'jpeg' && readJpegStream(await readFile(path))) return
  const [needed, allowed] = [most, MAX_DECODING_BYTES].map((bytes) => Math.round(bytes / 1024 / 1024))
  const kind = wholeKind(metadata) ?? 'an image that must be rotated'
  throw new Refused<AssetRefusal>(
    'asset_too_large',
    `Decoding ${kind} of this size takes ${needed} MiB of memory, and ${allowed} are allowed. ` +
      'A baseline JPEG, or a PNG or TIFF that is neither interlaced nor rotated by its EXIF data, takes less.',
  )
}

function profileTooLarge() {
  return new Refused<AssetRefusal>(
    'asset_too_large',
    `The colour profile in the image is larger than ${MAX_PROFILE_BYTES / 1024 / 1024} MiB. Export the image with another profile, such as sRGB.`,
  )
}

function tooManyPixels() {
  return new Refused<AssetRefusal>('asset_too_large', 'The image has more than 100 megapixels.')
}

function describe(metadata: Metadata): Omit<AssetInfo, 'mediaType'> {
  const orientation = exifOrientation(metadata)
  return { ...uprightSize(metadata), hasAlpha: metadata.hasAlpha, colorSpace: colorSpaceOf(metadata), orientation }
}

/** Returns the size in pixels of the upright image, after the EXIF orientation. */
export function uprightSize(metadata: Metadata): { widthPx: number; heightPx: number } {
  const { width, height } = metadata
  return exifOrientation(metadata) >= 5 ? { widthPx: height, heightPx: width } : { widthPx: width, heightPx: height }
}

/** Returns the EXIF orientation that libvips applies. Values outside 1 to 8 mean upright. */
export function exifOrientation({ orientation }: Pick<Metadata, 'orientation'>): Orientation {
  return orientation !== undefined && orientation >= 1 && orientation <= 8 ? (orientation as Orientation) : 1
}

function colorSpaceOf({ space, icc }: Metadata): AssetColorSpace {
  switch (space) {
    case 'b-w':
    case 'grey16':
      return 'gray'
    case 'cmyk':
      return 'cmyk'
    case 'lab':
    case 'labs':
      return 'lab'
    case 'srgb':
    case 'rgb':
    case 'rgb16':
    case 'scrgb':
      return icc === undefined || isSrgbProfile(icc) ? 'srgb' : 'rgb'
    default:
      throw new Refused<AssetRefusal>(
        'asset_unreadable',
        'The colours of the image are stored in a way that is not supported.',
      )
  }
}
