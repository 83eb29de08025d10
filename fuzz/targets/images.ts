import { hash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { Refused } from '../../src/rendering/errors.ts'
import { readCanvasImage } from '../../src/rendering/images/canvas-image.ts'
import { exifTurning, photo, pngNumbers, tiffOf, withPngChunks } from '../../src/rendering/images/factory.ts'
import { inspectImage } from '../../src/rendering/images/inspect-image.ts'
import { readPrintImage } from '../../src/rendering/images/print-image.ts'
import type { CheckContext, Target } from '../lib/target.ts'
import { mutateImage } from '../mutators/image.ts'

const CORPUS = join(import.meta.dirname, '../../test/corpus/images')

/**
 * Creates the target for images. Each input is inspected as an upload. If it is accepted, it is decoded for a print
 * file and for a preview.
 */
export async function images(): Promise<Target> {
  return {
    seeds: await seeds(),
    mutate: mutateImage,
    check,
    probe: probeImages,
    budgetMs: 5_000,
    covers: /src\/rendering\/(?:images|color)\/.*/,
  }
}

/**
 * Encodes a fixed picture in each format and decodes one of the files. Returns a hash of the results, which must always
 * be the same.
 */
export async function probeImages(): Promise<string> {
  const picture = photo(48, 32, 4)
  const png = await picture.clone().png().toBuffer()
  const [jpeg, webp, tiff] = await Promise.all([
    picture.clone().removeAlpha().withIccProfile('p3').jpeg().toBuffer(),
    picture.clone().webp().toBuffer(),
    picture.clone().tiff({ compression: 'lzw' }).toBuffer(),
  ])
  return hash('sha256', Buffer.concat([png, jpeg, webp, tiff, await sharp(png).raw().toBuffer()]))
}

async function seeds(): Promise<Buffer[]> {
  const small = readdirSync(CORPUS)
    .sort()
    .map((file) => readFileSync(join(CORPUS, file)))
    .filter(({ length }) => length < 60_000)
  const [rgb, alpha, gray] = [photo(70, 50), photo(70, 50, 4), photo(70, 50, 1)]
  const made = [
    rgb.clone().jpeg(),
    rgb.clone().jpeg({ progressive: true }),
    rgb.clone().jpeg({ chromaSubsampling: '4:4:4', optimiseScans: true }),
    gray.clone().toColourspace('b-w').jpeg(),
    rgb.clone().toColourspace('cmyk').jpeg(),
    rgb.clone().withIccProfile('p3').jpeg(),
    rgb.clone().withMetadata({ orientation: 6 }).jpeg(),
    rgb.clone().png(),
    rgb.clone().png({ progressive: true }),
    rgb.clone().png({ palette: true, colours: 16 }),
    rgb.clone().png({ palette: true, colours: 2 }),
    rgb.clone().toColourspace('rgb16').png(),
    alpha.clone().png(),
    gray.clone().toColourspace('b-w').png(),
    gray.clone().toColourspace('grey16').png(),
    rgb.clone().withIccProfile('p3').png(),
    rgb.clone().webp(),
    rgb.clone().webp({ lossless: true }),
    rgb.clone().webp({ nearLossless: true }),
    alpha.clone().webp(),
    alpha.clone().webp({ lossless: true }),
    alpha.clone().withIccProfile('p3').webp(),
    ...(['none', 'jpeg', 'deflate', 'packbits', 'lzw', 'webp', 'zstd'] as const).map((compression) =>
      rgb.clone().tiff({ compression }),
    ),
    rgb.clone().tiff({ compression: 'lzw', predictor: 'horizontal', tile: true, tileWidth: 32, tileHeight: 32 }),
    rgb.clone().tiff({ compression: 'deflate', pyramid: true, tile: true, tileWidth: 16, tileHeight: 16 }),
    gray.clone().threshold(128).toColourspace('b-w').tiff({ bitdepth: 1, compression: 'ccittfax4' }),
    gray.clone().toColourspace('b-w').tiff({ bitdepth: 4 }),
    rgb.clone().toColourspace('cmyk').tiff({ compression: 'none' }),
    rgb.clone().toColourspace('lab').tiff({ compression: 'none' }),
    rgb.clone().toColourspace('rgb16').tiff({ compression: 'lzw' }),
    alpha.clone().tiff({ compression: 'none' }),
    rgb.clone().toColourspace('rgb16').tiff({ compression: 'deflate', predictor: 'float' }),
  ]
  const encoded = await Promise.all(made.map((image) => image.toBuffer().catch(() => undefined)))
  const png = await rgb.clone().png().toBuffer()
  return [
    ...encoded.filter((bytes) => bytes !== undefined),
    withPngChunks(png, {
      gAMA: pngNumbers(100_000),
      cHRM: pngNumbers(31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000),
    }),
    withPngChunks(png, { cICP: Buffer.from([9, 16, 0, 1]) }),
    withPngChunks(png, { eXIf: exifTurning(6) }),
    ...[8, 16].map((bits) => tiffOf({ bits, format: 1 })),
    tiffOf({ bits: 8, format: 1, photometric: 8 }),
    ...small,
  ]
}

/** Inspects an image as an upload, then decodes it as for the print file and the preview of a design. */
export async function check(input: Buffer, { dir, enter }: CheckContext): Promise<string> {
  const path = join(dir, 'upload')
  writeFileSync(path, input)
  enter('upload')
  try {
    const info = await inspectImage(path)
    enter('draw')
    const print = await readPrintImage(path, hash('sha256', input), (size) => size, dir)
    const [widthPx, heightPx] = [Math.min(40, info.widthPx), Math.min(30, info.heightPx)]
    await readCanvasImage(path, widthPx, heightPx)
    const printed = print.orientation >= 5 ? [print.heightPx, print.widthPx] : [print.widthPx, print.heightPx]
    if (printed[0] !== info.widthPx || printed[1] !== info.heightPx) {
      throw new Error(`Accepted as ${info.widthPx} by ${info.heightPx}, printed as ${printed.join(' by ')}`)
    }
    const { mediaType, colorSpace, hasAlpha, orientation } = info
    const size = Math.ceil(Math.log2(info.widthPx * info.heightPx) / 4)
    return [
      mediaType,
      colorSpace,
      hasAlpha,
      orientation,
      size,
      print.encoding,
      print.components,
      print.icc !== undefined,
      print.alpha !== undefined,
    ].join(' ')
  } catch (error) {
    if (error instanceof Refused) return `${error.code}: ${error.detail.replaceAll(/\d+/g, 'N')}`
    throw error
  }
}
