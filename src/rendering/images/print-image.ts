import { tmpdir } from 'node:os'
import type { Metadata } from 'sharp'
import type { Orientation } from '../../drawing/engine.ts'
import { isSrgbProfile } from '../color/is-srgb.ts'
import { describesColors, readProfile } from '../color/read-profile.ts'
import { bytesInMemory } from './bytes-in-memory.ts'
import { withDecoder } from './decoding-memory.ts'
import { encodeRows, type Samples } from './encode-rows.ts'
import { exifOrientation, uprightSize } from './inspect-image.ts'
import { type JpegStream, readJpegStream } from './jpeg.ts'
import { openImage, withColors } from './open-image.ts'
import { type PngStream, type Rows, readPngStream } from './png.ts'
import { statedPngProfile } from './png-color.ts'
import { readVerified } from './read-verified.ts'
import { decodeToFile } from './sample-file.ts'

/** A compressed image in the form that a PDF contains, with 8 bits per sample. */
export type PrintImage = {
  encoding: 'jpeg' | 'png-rows'
  bytes: Buffer
  /** The size in pixels as stored, before `orientation` is applied. */
  widthPx: number
  heightPx: number
  components: 1 | 3
  /** The profile, if it is neither sRGB nor the greys of sRGB. The PDF contains it with the samples. */
  icc: Buffer | undefined
  /** The opacity of each pixel, as rows with one component; undefined if all pixels are opaque. */
  alpha: Rows | undefined
  /** How the stored pixels must be rotated or mirrored to be upright. */
  orientation: Orientation
}

type Size = { widthPx: number; heightPx: number }

/** Computes how many pixels of an upright image are needed in print. The result is never larger than the image. */
export type SizeInPrint = (original: Size) => Size

/**
 * Prepares an image file for a print PDF.
 *
 * An ordinary JPEG, and an opaque PNG, stay unchanged with their colour profile. This is fast and lossless, and the
 * colour management of the printer gets the original. All other images (alpha, CMYK, 16 bits, WebP, TIFF and others)
 * are converted once to sRGB and compressed losslessly. Images with far more pixels than are needed in print are
 * reduced. JPEGs are not reduced, because encoding them again would lose quality.
 *
 * @param workDir folder for a temporary file with decoded samples
 */
export async function readPrintImage(
  path: string,
  sha256: string,
  sizeInPrint: SizeInPrint,
  workDir = tmpdir(),
): Promise<PrintImage> {
  const file = await readVerified({ path, sha256 })
  const metadata = await openImage(path).metadata()
  const orientation = exifOrientation(metadata)
  const jpeg = readJpegStream(file)
  if (jpeg !== undefined && isAsDecoded(jpeg, metadata)) {
    return { ...jpeg, encoding: 'jpeg', icc: passableProfile(jpeg), alpha: undefined, orientation }
  }
  const original = uprightSize(metadata)
  const size = sizeInPrint(original)
  const isReduced = size.widthPx < original.widthPx || size.heightPx < original.heightPx
  const png = isReduced ? undefined : await readPngStream(file)
  if (png !== undefined && isAsDecoded(png, metadata)) {
    const icc = passableProfile({ ...png, icc: (await statedPngProfile(path)) ?? png.icc })
    return { ...png, encoding: 'png-rows', icc, alpha: undefined, orientation }
  }
  return convert(path, metadata, isReduced ? size : undefined, workDir)
}

/**
 * Tells whether the decoder, which draws the previews, reads the same size and profile from the file as this program. A
 * crafted file could otherwise print another image than the preview shows.
 */
function isAsDecoded(stream: PngStream | JpegStream, { width, height, icc }: Metadata): boolean {
  if (stream.widthPx !== width || stream.heightPx !== height) return false
  if (!isUnderstood(stream) || !isUnderstood({ icc, components: stream.components })) return false
  const profile = passableProfile(stream)
  const decoded = passableProfile({ icc, components: stream.components })
  return profile === undefined ? decoded === undefined : decoded !== undefined && profile.equals(decoded)
}

type Profiled = { icc?: Buffer | undefined; components: 1 | 3 }

/**
 * Tells whether the PDF shows the samples as the decoder does. The decoder also converts by profiles that a PDF may not
 * contain, such as damaged ones and those of later versions.
 */
export function isUnderstood(image: Profiled): boolean {
  return image.icc === undefined || isSrgbProfile(image.icc) || passableProfile(image) !== undefined
}

/** Returns the profile that a PDF may contain with the samples; undefined for sRGB. */
function passableProfile({ icc, components }: Profiled): Buffer | undefined {
  const profile = icc && readProfile(icc)
  if (icc === undefined || profile === undefined || !describesColors(profile) || isSrgbProfile(icc)) return undefined
  return profile.colorSpace === (components === 3 ? 'RGB' : 'GRAY') ? icc : undefined
}

async function convert(path: string, metadata: Metadata, size: Size | undefined, workDir: string): Promise<PrintImage> {
  const decode = () => withColors(path, size, (colors) => decodeToFile(colors, workDir))
  const samples = await withDecoder(await bytesInMemory(path, metadata), decode)
  try {
    const { channels } = samples
    const hasAlpha = channels === 2 || channels === 4
    const isGray = channels < 3 || metadata.space === 'b-w' || metadata.space === 'grey16'
    const rows = await encodeRows(samples, 0, isGray ? 1 : 3)
    const alpha = hasAlpha && !isOpaque(samples) ? await encodeRows(samples, channels - 1, 1) : undefined
    return { ...rows, encoding: 'png-rows', icc: undefined, alpha, orientation: 1 }
  } finally {
    samples.close()
  }
}

function isOpaque({ widthPx, heightPx, channels, readRows }: Samples): boolean {
  const rowBytes = widthPx * channels
  for (let row = 0; row < heightPx; row += 1) {
    const data = readRows(row, row + 1)
    for (let at = channels - 1; at < rowBytes; at += channels) if (data[at] !== 0xff) return false
  }
  return true
}
