/**
 * Draws the images of the test corpus again and writes them to test/corpus/images. The images are committed, because
 * other versions of the encoders and other machines compress the same pixels to other bytes.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Canvas } from '@napi-rs/canvas'
import sharp, { type OverlayOptions, type Sharp } from 'sharp'
import * as scene from '../test/corpus/paint/scenes.ts'

const OUT = join(import.meta.dirname, '../test/corpus/images')

function pixelsOf(canvas: Canvas): Sharp {
  const { width, height } = canvas
  // The pixels are copied, because sharp reads them later, when the canvas may no longer exist.
  return sharp(Buffer.from(canvas.data()), { raw: { width, height, channels: 4, premultiplied: false } })
}

const opaque = (width: number, height: number, painter: Parameters<typeof scene.paint>[2]): Sharp =>
  pixelsOf(scene.paint(width, height, painter)).removeAlpha()
const clear = (width: number, height: number, painter: Parameters<typeof scene.paint>[2]): Sharp =>
  pixelsOf(scene.paint(width, height, painter))

const files: Record<string, Sharp> = {
  'lake.jpg': opaque(1819, 1311, scene.lake).jpeg({ quality: 82 }),
  'coffee-progressive.jpg': opaque(1400, 1000, scene.coffee).jpeg({ quality: 78, progressive: true }),
  'skyline.jpg': opaque(1500, 1000, scene.skyline).jpeg({ quality: 76 }),
  'dunes-grey.jpg': opaque(1200, 900, scene.dunes).toColourspace('b-w').jpeg({ quality: 82 }),
  'citrus-cmyk.jpg': opaque(900, 640, scene.citrus).toColourspace('cmyk').jpeg({ quality: 80 }),
  'citrus.tiff': opaque(700, 500, scene.citrus).tiff({ compression: 'lzw', predictor: 'horizontal' }),
  'citrus.webp': opaque(1200, 860, scene.citrus).webp({ quality: 80 }),
  'spectrum-p3.jpg': opaque(600, 300, scene.spectrum).withIccProfile('p3').jpeg({ quality: 88 }),
  'spectrum-srgb.jpg': opaque(600, 300, scene.spectrum).withIccProfile('srgb').jpeg({ quality: 88 }),
  'spectrum-p3.png': opaque(300, 150, scene.spectrum).withIccProfile('p3').png(),
  'spectrum-16bit.png': opaque(300, 150, scene.spectrum).toColourspace('rgb16').png(),
  'spectrum-interlaced.png': opaque(300, 150, scene.spectrum).png({ progressive: true }),
  'dunes-grey-alpha.png': clear(400, 300, scene.dunes)
    .composite([fadeOut(400, 300)])
    .toColourspace('b-w')
    .png(),
  'tree-logo.png': clear(700, 700, scene.treeLogo).png(),
  'swallow-palette.png': clear(600, 600, scene.swallow).png({ palette: true, colours: 16 }),
  'leaves.webp': clear(700, 700, scene.leaves).webp({ quality: 82, alphaQuality: 90 }),
  'leaves-lossless.webp': clear(400, 400, scene.leaves).webp({ lossless: true }),
  'swallow.tiff': clear(400, 400, scene.swallow).tiff({ compression: 'deflate' }),
}

function fadeOut(width: number, height: number): OverlayOptions {
  const rows = Buffer.alloc(width * height * 4)
  for (let at = 0; at < width * height; at += 1)
    rows[at * 4 + 3] = 255 - Math.round((255 * Math.floor(at / width)) / height)
  return { input: rows, raw: { width, height, channels: 4 }, blend: 'dest-in' }
}

const [ROSE_WIDTH, ROSE_HEIGHT] = [360, 240]

/** For each EXIF orientation, the transformation from an upright image to the image that a camera stores. */
const STORED: readonly [number, number, number, number, number, number][] = [
  [1, 0, 0, 1, 0, 0],
  [-1, 0, 0, 1, ROSE_WIDTH, 0],
  [-1, 0, 0, -1, ROSE_WIDTH, ROSE_HEIGHT],
  [1, 0, 0, -1, 0, ROSE_HEIGHT],
  [0, 1, 1, 0, 0, 0],
  [0, -1, 1, 0, 0, ROSE_WIDTH],
  [0, -1, -1, 0, ROSE_HEIGHT, ROSE_WIDTH],
  [0, 1, -1, 0, ROSE_HEIGHT, 0],
]

for (const [index, transform] of STORED.entries()) {
  const size: [number, number] = index < 4 ? [ROSE_WIDTH, ROSE_HEIGHT] : [ROSE_HEIGHT, ROSE_WIDTH]
  const rose = opaque(...size, (ctx) => {
    ctx.transform(...transform)
    scene.windRose(ctx, ROSE_WIDTH, ROSE_HEIGHT)
  })
  files[`rose-exif-${index + 1}.jpg`] = rose.withMetadata({ orientation: index + 1 }).jpeg({ quality: 84 })
}

await mkdir(OUT, { recursive: true })
for (const [name, image] of Object.entries(files)) await writeFile(join(OUT, name), await image.toBuffer())
