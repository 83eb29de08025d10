import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { documentOf, imageLayer, startSignedIn } from '../../src/designs/factory.ts'
import { pngClaiming } from '../../src/rendering/images/factory.ts'

const RED = [220, 30, 30]
const GREY = [128, 128, 128]

function plain(color = RED, { width = 300, height = 300 } = {}) {
  const [r = 0, g = 0, b = 0] = color
  return sharp({ create: { width, height, channels: 3, background: { r, g, b } } })
}

/** Makes an image with two frames: the first is red, the second grey. */
function frames() {
  const pixels = Buffer.concat([RED, GREY].map((color) => Buffer.concat(Array(300 * 300).fill(Buffer.from(color)))))
  return sharp(pixels, { raw: { width: 300, height: 600, channels: 3, pageHeight: 300 } })
}

/**
 * Makes an image that is stored with red on the left and grey on the right. Its EXIF orientation rotates it by a
 * quarter turn clockwise, so that red is at the top.
 */
async function turned(): Promise<Buffer> {
  const left = await plain(RED, { width: 150, height: 300 }).png().toBuffer()
  return plain(GREY)
    .composite([{ input: left, left: 0, top: 0 }])
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
}

interface Unusual {
  make(): Promise<Buffer>
  told: object
  /** The expected colour in the upper half of the image, with channels from 0 to 255. */
  color: number[]
}

const UNUSUAL: Readonly<Record<string, Unusual>> = {
  'a CMYK JPEG': {
    make: () => plain().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(),
    told: { mediaType: 'image/jpeg', colorSpace: 'cmyk' },
    color: RED,
  },
  'a PNG of 16 bits': {
    make: () => plain().toColourspace('rgb16').png().toBuffer(),
    told: { mediaType: 'image/png' },
    color: RED,
  },
  'a grey PNG': {
    make: () => plain(GREY).toColourspace('b-w').png().toBuffer(),
    told: { mediaType: 'image/png', colorSpace: 'gray' },
    color: GREY,
  },
  'an animated WebP': {
    make: () => frames().webp({ lossless: true }).toBuffer(),
    told: { mediaType: 'image/webp', widthPx: 300, heightPx: 300 },
    color: RED,
  },
  'a TIFF of two pages': {
    make: () => frames().tiff({ compression: 'lzw' }).toBuffer(),
    told: { mediaType: 'image/tiff', widthPx: 300 },
    color: RED,
  },
  'a photo that was taken sideways': {
    make: turned,
    told: { mediaType: 'image/jpeg', widthPx: 300, heightPx: 300 },
    color: RED,
  },
  'a wide-gamut JPEG': {
    make: () => plain().withIccProfile('p3').jpeg({ quality: 95 }).toBuffer(),
    told: { mediaType: 'image/jpeg' },
    color: RED,
  },
  'a PNG that is called a JPEG': {
    make: () => plain().png().toBuffer(),
    told: { mediaType: 'image/png' },
    color: RED,
  },
  'a JPEG with a web page behind it': {
    make: async () => Buffer.concat([await plain().jpeg().toBuffer(), Buffer.from('<script>alert(1)</script>')]),
    told: { mediaType: 'image/jpeg' },
    color: RED,
  },
}

test('unusual images are recognized, and drawn with the right colours and orientation', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  for (const [what, { make, told, color }] of Object.entries(UNUSUAL)) {
    const headers = { 'content-type': 'image/jpeg' }
    const asset = await service.request('POST', '/assets', { token, body: new Uint8Array(await make()), headers })
    assert.equal(asset.status, 201, `${what}: ${asset.text}`)
    for (const [name, value] of Object.entries(told)) assert.equal(asset.body[name], value, `${what}: ${name}`)
    const content = await service.request('GET', `/assets/${asset.body.id}/content`, { token })
    assert.deepEqual(
      [content.headers.get('content-type'), content.headers.get('x-content-type-options')],
      [asset.body.mediaType, 'nosniff'],
    )
    const placed = { ...imageLayer(asset.body.id), x: 20, y: 10, width: 20, height: 20 }
    const { body: design } = await create({ document: documentOf([placed]) })
    const preview = await service.request('GET', `/designs/${design.id}/preview?width=850`, {
      token,
      headers: { accept: 'image/png' },
    })
    // The preview has ten pixels per millimetre, and the position is a quarter of the image height from its top.
    assert.ok(
      distance(await pixelAt(preview.body, 300, 150), color) < 60,
      `${what}: ${await pixelAt(preview.body, 300, 150)}`,
    )
    const done = await service.request('POST', `/designs/${design.id}/finalize`, { token })
    assert.equal(done.status, 200, `${what}: ${done.text}`)
  }
})

const REFUSED: Readonly<Record<string, [make: () => Promise<Uint8Array>, code: string]>> = {
  'a truncated JPEG': [async () => (await plain().jpeg().toBuffer()).subarray(0, 700), 'asset_unreadable'],
  'a JPEG whose end is missing': [async () => (await noise().jpeg().toBuffer()).subarray(0, -4000), 'asset_unreadable'],
  'a GIF': [
    async () =>
      Buffer.from('47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b', 'hex'),
    'asset_type_unsupported',
  ],
  'an SVG that is called a PNG': [
    async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    'asset_type_unsupported',
  ],
  'a PDF with a JPEG behind its head': [
    async () => Buffer.concat([Buffer.from('%PDF-1.7\n'), await plain().jpeg().toBuffer()]),
    'asset_type_unsupported',
  ],
  'a zip archive': [
    async () => Buffer.from('504b0506000000000000000000000000000000000000', 'hex'),
    'asset_type_unsupported',
  ],
  'a PNG that claims 900 megapixels': [async () => pngClaiming(30_000, 30_000), 'asset_too_large'],
  'a PNG of 121 real megapixels in a few bytes': [bomb, 'asset_too_large'],
  nothing: [async () => new Uint8Array(), 'asset_unreadable'],
}

function noise() {
  const samples = Buffer.alloc(300 * 300 * 3)
  let seed = 1
  for (let at = 0; at < samples.length; at += 1) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    samples[at] = seed >>> 24
  }
  return sharp(samples, { raw: { width: 300, height: 300, channels: 3 } })
}

function bomb(): Promise<Buffer> {
  return sharp({
    create: { width: 11_000, height: 11_000, channels: 3, background: '#000000' },
    limitInputPixels: false,
  })
    .toColourspace('b-w')
    .png({ palette: false, compressionLevel: 6 })
    .toBuffer()
}

test('damaged and malicious files and files that are not images are rejected, and the next upload works', async (t) => {
  const { service, token } = await startSignedIn(t)
  const send = (body: Uint8Array) =>
    service.request('POST', '/assets', { token, body: new Uint8Array(body), headers: { 'content-type': 'image/png' } })
  for (const [what, [make, code]] of Object.entries(REFUSED)) {
    const answer = await send(await make())
    assert.deepEqual([answer.status, answer.body.code], [422, code], `${what}: ${answer.text}`)
    assert.ok(answer.body.detail.length > 10, what)
  }
  assert.equal((await send(await plain().png().toBuffer())).status, 201)
  assert.equal((await service.request('GET', '/assets', { token })).body.data.length, 1)
})

async function pixelAt(picture: Buffer, x: number, y: number): Promise<number[]> {
  // The code under test runs in this process and blocks all but four formats. The test needs other formats to make its
  // files.
  sharp.unblock({ operation: ['VipsForeignLoad'] })
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * info.channels
  return [...data.subarray(at, at + 3)]
}

function distance(one: number[], other: number[]): number {
  return Math.max(...one.map((value, index) => Math.abs(value - (other[index] ?? 0))))
}
