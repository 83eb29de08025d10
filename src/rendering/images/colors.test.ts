import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { openPdf } from '../../../test/lib/pdfium.ts'
import { makeGrayProfile, makeRgbProfile, PRIMARIES } from '../color/make-profile.ts'
import { srgbToLinear } from '../color/srgb.ts'
import { fullBleed, jobImage, postcard, startRenderer } from '../factory.ts'
import { pngNumbers, scratch, withPngChunks } from './factory.ts'
import { openSamples } from './open-image.ts'
import { pngChunk } from './png.ts'

// The tests decode results in this process, so they need all formats. Outside tests, `open-image.ts` blocks all but
// four formats.
sharp.unblock({ operation: ['VipsForeignLoad'] })

type Color = readonly [number, number, number]

// The colours of the quarters: top left, top right, bottom left, bottom right. They differ in all orientations, and
// every gamut contains them.
const COLORS: readonly Color[] = [
  [200, 70, 50],
  [90, 170, 100],
  [60, 90, 160],
  [220, 215, 200],
]
const GRAYS: readonly Color[] = [40, 100, 160, 220].map((value) => [value, value, value] as const)
const [WIDTH, HEIGHT] = [48, 32]

/**
 * Returns samples of an image with four quarters.
 *
 * @param channels how many components of each colour to store
 */
function quarters(colors: readonly (readonly number[])[], channels: number): Buffer {
  const samples = Buffer.alloc(WIDTH * HEIGHT * channels)
  for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
    const index = (at % WIDTH < WIDTH / 2 ? 0 : 1) + (at < (WIDTH * HEIGHT) / 2 ? 0 : 2)
    samples.set((colors[index] ?? []).slice(0, channels), at * channels)
  }
  return samples
}

const raw = (channels: 1 | 3 | 4) => ({ width: WIDTH, height: HEIGHT, channels })
const color = () => openSamples(quarters(COLORS, 3), raw(3))
const gray = () => openSamples(quarters(GRAYS, 1), raw(1)).toColourspace('b-w')
/** Returns an image whose bottom right quarter is half opaque black, which looks grey on white. */
const translucent = () => {
  const colors = COLORS.map((rgb, index) => (index === 3 ? [0, 0, 0, 128] : [...rgb, 255]))
  return openSamples(quarters(colors, 4), raw(4))
}
const TRANSLUCENT: readonly Color[] = [...COLORS.slice(0, 3), [127, 127, 127]]

const grayAlpha = () => {
  const colors = GRAYS.map((rgb, index) => (index === 3 ? [0, 0, 0, 128] : [...rgb, 255]))
  return openSamples(quarters(colors, 4), raw(4)).toColourspace('b-w')
}
/** Returns an image with two frames: the quarters and their negative. */
const frames = () => {
  const negative = COLORS.map((rgb) => rgb.map((value) => 255 - value))
  const samples = Buffer.concat([quarters(COLORS, 3), quarters(negative, 3)])
  return sharp(samples, { raw: { width: WIDTH, height: HEIGHT * 2, channels: 3, pageHeight: HEIGHT } })
}

/** For each EXIF orientation, the index of the stored quarter that is visible at each position. */
const TURNED: Record<number, number[]> = {
  1: [0, 1, 2, 3],
  2: [1, 0, 3, 2],
  3: [3, 2, 1, 0],
  4: [2, 3, 0, 1],
  5: [0, 2, 1, 3],
  6: [2, 0, 3, 1],
  7: [3, 1, 2, 0],
  8: [1, 3, 0, 2],
}

type Case = { what: string; file: Buffer; expected: readonly Color[]; tolerance: number }

const cases: Case[] = []
async function add(what: string, file: Buffer | Promise<Buffer>, expected = COLORS, tolerance = 3): Promise<void> {
  cases.push({ what, file: await file, expected, tolerance })
}

const { dir, put } = scratch({ after })
const profiles = {
  'Adobe RGB': put(
    makeRgbProfile([...(PRIMARIES[1] ?? []).slice(0, 2), [0.21, 0.71], [0.15, 0.06]], (x) => x ** 2.2) ?? '',
  ),
  'linear light': put(makeRgbProfile(PRIMARIES[1] ?? [], (x) => x) ?? ''),
}
const formats: Record<string, (image: Sharp) => Promise<Buffer>> = {
  JPEG: (image) => image.jpeg({ quality: 97, chromaSubsampling: '4:4:4' }).toBuffer(),
  PNG: (image) => image.png().toBuffer(),
  'lossless WebP': (image) => image.webp({ lossless: true }).toBuffer(),
  TIFF: (image) => image.tiff({ compression: 'lzw' }).toBuffer(),
}

for (const [format, encode] of Object.entries(formats)) {
  await add(`${format}`, encode(color()))
  for (const [name, profile] of Object.entries({ 'Display P3': 'p3', ...profiles })) {
    // Eight bits of linear light are imprecise for dark colours, so the tolerance is larger.
    await add(`${format} in ${name}`, encode(color().withIccProfile(profile)), COLORS, name === 'linear light' ? 8 : 4)
  }
  for (const [orientation, places] of Object.entries(TURNED)) {
    const expected = places.map((place) => COLORS[place] ?? ([0, 0, 0] as const))
    const file = encode(color().withMetadata({ orientation: Number(orientation) }))
    await add(`${format} of EXIF orientation ${orientation}`, file, expected)
  }
}
await add('a progressive JPEG', color().jpeg({ quality: 97, progressive: true, chromaSubsampling: '4:2:0' }).toBuffer())
await add('a grey JPEG', gray().jpeg({ quality: 97 }).toBuffer(), GRAYS)
await add('a CMYK JPEG', color().withIccProfile('cmyk').jpeg({ quality: 97 }).toBuffer(), COLORS, 24)
await add('a CMYK TIFF', color().withIccProfile('cmyk').tiff().toBuffer(), COLORS, 24)
await add('a grey PNG', gray().png().toBuffer(), GRAYS)
await add('a PNG with alpha', translucent().png().toBuffer(), TRANSLUCENT)
await add('a WebP with alpha', translucent().webp({ lossless: true }).toBuffer(), TRANSLUCENT)
await add('a TIFF with alpha', translucent().tiff({ compression: 'lzw' }).toBuffer(), TRANSLUCENT)
await add('a 16-bit PNG', color().toColourspace('rgb16').png().toBuffer())
await add('a 16-bit TIFF', color().toColourspace('rgb16').tiff().toBuffer())
await add('a grey 16-bit PNG', gray().toColourspace('grey16').png().toBuffer(), GRAYS)
await add('an interlaced PNG', color().png({ progressive: true }).toBuffer())
await add('a palette PNG', color().png({ palette: true }).toBuffer())
await add('a palette PNG with transparent entries', translucent().png({ palette: true }).toBuffer(), TRANSLUCENT)

await add('a grey PNG with alpha', grayAlpha().png().toBuffer(), [...GRAYS.slice(0, 3), [127, 127, 127]])
await add('a 16-bit PNG with alpha', translucent().toColourspace('rgb16').png().toBuffer(), TRANSLUCENT)
await add('a TIFF in Lab', color().toColourspace('lab').tiff().toBuffer())
await add('the first frame of a WebP', frames().webp({ lossless: true, loop: 0 }).toBuffer())
await add('the first page of a TIFF', frames().tiff({ compression: 'lzw' }).toBuffer())

// The following files are PNGs that describe their colours without a profile.
const linear = (colors: readonly Color[]) =>
  colors.map((rgb) => rgb.map((value) => Math.round(255 * srgbToLinear(value / 255))))
const png = (samples: Buffer, channels: 1 | 3) =>
  openSamples(samples, raw(channels))
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    .png()
    .toBuffer()
const plain = await png(quarters(COLORS, 3), 3)
const inLinearLight = await png(quarters(linear(COLORS), 3), 3)
const gamma = pngNumbers(100_000)
const srgbPrimaries = pngNumbers(31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)
const p3Primaries = pngNumbers(31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000)
const p3Samples = await color().withIccProfile('p3', { attach: false }).png().toBuffer()
await add('a PNG with the gamma of sRGB', withPngChunks(plain, { gAMA: pngNumbers(45455), cHRM: srgbPrimaries }))
await add('a PNG with a gamma of 1', withPngChunks(inLinearLight, { gAMA: gamma }), COLORS, 8)
const linearPng = withPngChunks(inLinearLight, { gAMA: gamma })
const beforeHeader = [linearPng.subarray(0, 8), pngChunk('abCd', Buffer.alloc(4)), linearPng.subarray(8)]
await add('a PNG with a gamma of 1 and a chunk before its header', Buffer.concat(beforeHeader), COLORS, 8)
await add('a PNG that is sRGB whatever its gamma', withPngChunks(plain, { sRGB: Buffer.of(0), gAMA: gamma }))
// Eight bits of linear grey would be too imprecise for dark colours, so the test uses the gamma of older Macintosh
// computers.
const macintosh = (value: number) => Math.round(255 * srgbToLinear(value / 255) ** (1 / 1.8))
const inMacintoshGray = GRAYS.map((rgb) => rgb.map(macintosh))
await add(
  'a grey PNG with a gamma of 1.8',
  withPngChunks(await png(quarters(inMacintoshGray, 1), 1), { gAMA: pngNumbers(55556) }),
  GRAYS,
  4,
)
await add('a PNG with primaries', withPngChunks(p3Samples, { gAMA: pngNumbers(45455), cHRM: p3Primaries }))
await add('a PNG with code points', withPngChunks(p3Samples, { cICP: Buffer.of(12, 13, 0, 1) }))
await add(
  'an interlaced PNG with a gamma of 1',
  withPngChunks(
    await openSamples(quarters(linear(COLORS), 3), raw(3))
      .png({ progressive: true })
      .toBuffer(),
    {
      gAMA: gamma,
    },
  ),
  COLORS,
  8,
)
// The `tRNS` chunk makes the colour of the bottom right quarter transparent.
const seenThrough = Buffer.from((COLORS[3] ?? []).flatMap((value) => [0, value]))
await add('a PNG with one transparent colour', withPngChunks(plain, { tRNS: seenThrough }), [
  ...COLORS.slice(0, 3),
  [255, 255, 255],
])
const macintoshGray = put(makeGrayProfile((x) => x ** 1.8))
for (const [format, encode] of Object.entries(formats)) {
  if (format !== 'lossless WebP')
    await add(`a grey ${format} with a profile`, encode(gray().withIccProfile(macintoshGray)), GRAYS, 4)
}
const p3Profile = (await sharp(await color().withIccProfile('p3').tiff().toBuffer()).metadata()).icc ?? Buffer.alloc(0)
const deepSamples = Uint16Array.from(await sharp(p3Samples).raw().toBuffer(), (value) => value * 257)
const deep = await sharp(deepSamples, { raw: raw(3) })
  .toColourspace('rgb16')
  .png()
  .toBuffer()
const named = Buffer.concat([Buffer.from('p3\0\0'), deflateSync(p3Profile)])
await add('a 16-bit PNG in Display P3', withPngChunks(deep, { iCCP: named }))
const deepGray = await sharp(await gray().withIccProfile(macintoshGray, { attach: false }).raw().toBuffer(), {
  raw: raw(1),
})
  .toColourspace('grey16')
  .png()
  .toBuffer()
const grayNamed = Buffer.concat([Buffer.from('grey\0\0'), deflateSync(makeGrayProfile((x) => x ** 1.8))])
await add('a grey 16-bit PNG with a profile', withPngChunks(deepGray, { iCCP: grayNamed }), GRAYS)

/** All images are on one page, in the cells of a grid. Lengths are in millimetres from the trim box. */
const [CELL, COLUMNS] = [{ width: 10, height: 8 }, 10]
const cellAt = (index: number) => ({ x: (index % COLUMNS) * CELL.width, y: Math.floor(index / COLUMNS) * CELL.height })
const QUARTERS = [
  [0.25, 0.25],
  [0.75, 0.25],
  [0.25, 0.75],
  [0.75, 0.75],
] as const

test('every image has correct colours and is upright, in the print file and in the preview', async (t) => {
  const layers = cases.map((_, index) => ({
    ...fullBleed(`image-${index}`),
    ...CELL,
    ...cellAt(index),
    fit: 'stretch' as const,
  }))
  const images = Object.fromEntries(cases.map(({ file }, index) => [`image-${index}`, jobImage(put(file))]))
  const job = postcard({ front: layers }, images)
  const renderer = startRenderer(t)
  const [print] = await renderer.print(job, dir)
  const preview = await renderer.preview({ ...job, printAreaId: 'front', widthPx: 1050, format: 'png' })
  const pictures = { 'print file': await rasterize(readFileSync(print?.path ?? '')), preview: await decode(preview) }
  for (const [index, { what, expected, tolerance }] of cases.entries()) {
    for (const [where, colorAt] of Object.entries(pictures)) {
      const seen = QUARTERS.map(([x, y]) => {
        const { x: left, y: top } = cellAt(index)
        return colorAt((left + x * CELL.width) / 105, (top + y * CELL.height) / 148)
      })
      const worst = Math.max(...seen.flat().map((value, at) => Math.abs(value - (expected.flat()[at] ?? Number.NaN))))
      assert.ok(worst <= tolerance, `${what} in the ${where}: ${seen.join('; ')} instead of ${expected.join('; ')}`)
    }
  }
})

/** Returns the colour at a position in the trim box. Both coordinates range from 0 to 1. */
type ColorAt = (x: number, y: number) => number[]

async function rasterize(pdf: Buffer): Promise<ColorAt> {
  const open = await openPdf(pdf)
  const box = { x: 8.504, y: 8.504, width: 297.638, height: 419.528 }
  const { data, width, height } = open.rasterize(0, box, { widthPx: 1050, heightPx: 1480 })
  open.close()
  return colorsOf(data, { width, height, channels: 4 })
}

async function decode(picture: Uint8Array): Promise<ColorAt> {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true })
  return colorsOf(data, info)
}

function colorsOf(data: Uint8Array, size: { width: number; height: number; channels: number }): ColorAt {
  return (x, y) => {
    const pixel = Math.floor(y * size.height) * size.width + Math.floor(x * size.width)
    return [...data.subarray(pixel * size.channels, pixel * size.channels + 3)]
  }
}
