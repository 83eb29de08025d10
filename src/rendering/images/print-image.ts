import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import type { Orientation } from '../../drawing/index.ts'
import { iccColorSpace, isSrgbProfile } from './icc.ts'
import { exifOrientation } from './inspect-image.ts'
import { readJpegStream } from './jpeg.ts'
import { openImage, openSamples } from './open-image.ts'
import { type PngStream, readPngStream } from './png.ts'

/** An image at its own resolution, compressed as a PDF holds it: 8 bits per sample. */
export type PrintImage = {
  encoding: 'jpeg' | 'png-rows'
  bytes: Buffer
  /** Stored size, before `orientation`. */
  widthPx: number
  heightPx: number
  components: 1 | 3
  /** Colours other than sRGB or plain grey, to be passed on with the samples. */
  icc: Buffer | undefined
  /** Opacity of each pixel, one component; undefined when all are opaque. */
  alpha: PngStream | undefined
  /** How the stored pixels must be turned to stand upright. */
  orientation: Orientation
}

/**
 * Prepares an image file for a print PDF. An ordinary JPEG, and a PNG without transparency, pass untouched, with their
 * colour profile: no time, no loss, and the printer's colour management sees the original. All else (alpha, CMYK,
 * 16 bits, WebP, TIFF ...) is converted once to sRGB and compressed without loss.
 */
export async function readPrintImage(path: string, sha256: string): Promise<PrintImage> {
  const file = await readFile(path)
  // What is printed must be what the content hash names, also after a disk has lied.
  if (hash('sha256', file) !== sha256) throw new Error('An image file is not the one its SHA-256 names')
  const stream = passable(file)
  if (stream === undefined) return convert(path)
  return { ...stream, alpha: undefined, orientation: exifOrientation(await openImage(path).metadata()) }
}

type Passable = Omit<PrintImage, 'alpha' | 'orientation'>

function passable(file: Buffer): Passable | undefined {
  const jpeg = readJpegStream(file)
  if (jpeg !== undefined) return { ...jpeg, encoding: 'jpeg', icc: passableProfile(jpeg) }
  const png = readPngStream(file)
  return png && { ...png, encoding: 'png-rows', icc: passableProfile(png) }
}

/** A profile that contradicts the samples is ignored, as decoders do, and sRGB is what goes without saying. */
function passableProfile({ icc, components }: { icc: Buffer | undefined; components: 1 | 3 }): Buffer | undefined {
  if (icc === undefined || isSrgbProfile(icc)) return undefined
  return iccColorSpace(icc) === (components === 3 ? 'RGB' : 'GRAY') ? icc : undefined
}

async function convert(path: string): Promise<PrintImage> {
  const upright = () => openImage(path).autoOrient().toColourspace('srgb')
  const { hasAlpha } = await openImage(path).metadata()
  const colors = await encodeRows(upright().removeAlpha())
  const alpha = hasAlpha ? await readAlpha(upright()) : undefined
  return { ...colors, encoding: 'png-rows', icc: undefined, alpha, orientation: 1 }
}

async function readAlpha(image: Sharp): Promise<PngStream | undefined> {
  const { data, info } = await image.extractChannel('alpha').raw().toBuffer({ resolveWithObject: true })
  const isOpaque = Buffer.alloc(data.length, 0xff).equals(data)
  return isOpaque ? undefined : encodeRows(openSamples(data, { ...info, channels: 1 }).toColourspace('b-w'))
}

/** Lets the PNG encoder choose filters and compress: the same rows, smaller than plain deflate makes photos. */
async function encodeRows(image: Sharp): Promise<PngStream> {
  const stream = readPngStream(await image.png({ compressionLevel: 6, adaptiveFiltering: true }).toBuffer())
  if (stream === undefined) throw new Error('The encoder made a PNG of an unexpected kind')
  return stream
}
