import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type AssetRefusal, Refused } from '../errors.ts'
import { photo, pngClaiming, quarters, scratch } from './factory.ts'
import { inspectImage } from './inspect-image.ts'

const refusedAs = (code: AssetRefusal) => (error: unknown) => error instanceof Refused && error.code === code

function inspectBytes(t: TestContext, bytes: Uint8Array | string, name?: string) {
  return inspectImage(scratch(t).put(bytes, name))
}

test('tells the four types, their sizes and their transparency', async (t) => {
  const { put } = scratch(t)
  const cases = [
    ['image/jpeg', await photo(60, 40).jpeg().toBuffer(), false],
    ['image/png', await photo(60, 40, 4).png().toBuffer(), true],
    ['image/webp', await photo(60, 40, 4).webp().toBuffer(), true],
    ['image/tiff', await photo(60, 40).tiff().toBuffer(), false],
  ] as const
  for (const [mediaType, bytes, hasAlpha] of cases) {
    const info = await inspectImage(put(bytes))
    assert.deepEqual(info, { mediaType, widthPx: 60, heightPx: 40, hasAlpha, colorSpace: 'srgb', orientation: 1 })
  }
})

test('tells grey, CMYK and wide-gamut colour', async (t) => {
  const { put } = scratch(t)
  const colorSpaceOf = async (bytes: Uint8Array) => (await inspectImage(put(bytes))).colorSpace
  assert.equal(await colorSpaceOf(await photo(9, 9).toColourspace('b-w').jpeg().toBuffer()), 'gray')
  assert.equal(await colorSpaceOf(await photo(9, 9).toColourspace('cmyk').jpeg().toBuffer()), 'cmyk')
  assert.equal(await colorSpaceOf(await photo(9, 9).withIccProfile('p3').jpeg().toBuffer()), 'rgb')
  assert.equal(await colorSpaceOf(await photo(9, 9).withIccProfile('srgb').jpeg().toBuffer()), 'srgb')
})

test('measures the upright image', async (t) => {
  const { put } = scratch(t)
  for (let orientation = 1; orientation <= 8; orientation += 1) {
    const info = await inspectImage(put(await quarters(60, 40).withMetadata({ orientation }).jpeg().toBuffer()))
    const size = orientation >= 5 ? [40, 60] : [60, 40]
    assert.deepEqual([info.orientation, info.widthPx, info.heightPx], [orientation, ...size])
  }
})

test('goes by the content, not by the name', async (t) => {
  assert.equal((await inspectBytes(t, await photo(9, 9).png().toBuffer(), 'photo.jpg')).mediaType, 'image/png')
})

for (const [what, bytes] of [
  ['text', 'Dear printer, please imagine a picture here.'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>'],
  ['PDF', '%PDF-1.4\n1 0 obj <<>> endobj'],
  ['GIF', Buffer.from('GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;', 'latin1')],
  ['one byte', Buffer.of(0xff)],
] as const) {
  test(`refuses ${what} as a type that is not supported, whatever it is called`, async (t) => {
    await assert.rejects(inspectBytes(t, bytes, 'photo.jpg'), refusedAs('asset_type_unsupported'))
  })
}

test('refuses an empty file', async (t) => {
  await assert.rejects(inspectBytes(t, ''), refusedAs('asset_unreadable'))
})

test('refuses 20000 by 20000 pixels by the header, before decoding', async (t) => {
  const started = performance.now()
  await assert.rejects(inspectBytes(t, pngClaiming(20_000, 20_000)), refusedAs('asset_too_large'))
  assert.ok(performance.now() - started < 1000)
})

test('refuses a side of more than 65535 pixels', async (t) => {
  await assert.rejects(inspectBytes(t, pngClaiming(70_000, 10)), refusedAs('asset_too_large'))
})

test('refuses each type cut short: at the header, in the middle and just before the end', async (t) => {
  const { put } = scratch(t)
  const image = () => photo(300, 200)
  const files = [
    await image().jpeg().toBuffer(),
    await image().jpeg({ progressive: true }).toBuffer(),
    await image().png().toBuffer(),
    await image().png({ progressive: true }).toBuffer(),
    await image().webp().toBuffer(),
    await image().webp({ lossless: true }).toBuffer(),
    await image().tiff({ compression: 'lzw' }).toBuffer(),
    await image().tiff({ compression: 'none' }).toBuffer(),
  ]
  for (const [index, file] of files.entries()) {
    for (const share of [0.02, 0.5, 0.98]) {
      const path = put(file.subarray(0, Math.ceil(file.length * share)))
      await assert.rejects(inspectImage(path), refusedAs('asset_unreadable'), `file ${index} cut at ${share}`)
    }
  }
})

test('refuses a header that nothing follows, and headers glued to something else', async (t) => {
  const { put } = scratch(t)
  const magic = [
    Buffer.of(0xff, 0xd8, 0xff),
    Buffer.from('89504e470d0a1a0a', 'hex'),
    Buffer.from('II*\0'),
    'RIFF\0\0\0\0WEBP',
  ]
  for (const head of magic) {
    const glued = Buffer.concat([Buffer.from(head), Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')])
    await assert.rejects(inspectImage(put(head)), refusedAs('asset_unreadable'))
    await assert.rejects(inspectImage(put(glued)), refusedAs('asset_unreadable'))
  }
})

test('refuses a PNG whose compressed pixels are damaged', async (t) => {
  const file = await photo(300, 200).png().toBuffer()
  file.fill(0x55, file.length / 2, file.length / 2 + 200)
  await assert.rejects(inspectBytes(t, file), refusedAs('asset_unreadable'))
})
