import assert from 'node:assert/strict'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { processorMs } from '../../../test/lib/processor-time.ts'
import { makeRgbProfile, PRIMARIES } from '../color/make-profile.ts'
import { type AssetRefusal, Refused } from '../errors.ts'
import { exifTurning, jpegClaiming, photo, pngClaiming, quarters, scratch, tiffOf, withPngChunks } from './factory.ts'
import { inspectImage } from './inspect-image.ts'
import { withColors } from './open-image.ts'
import { hasHugePngProfile } from './profile-size.ts'

const MIB = 1024 * 1024

const refusedAs = (code: AssetRefusal) => (error: unknown) => error instanceof Refused && error.code === code

function inspectBytes(t: TestContext, bytes: Uint8Array | string, name?: string) {
  return inspectImage(scratch(t).put(bytes, name))
}

test('detects the four types, their sizes and their transparency', async (t) => {
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

test('detects grey, CMYK and wide-gamut colour', async (t) => {
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

test('detects the type by content, not by name', async (t) => {
  assert.equal((await inspectBytes(t, await photo(9, 9).png().toBuffer(), 'photo.jpg')).mediaType, 'image/png')
})

for (const [what, bytes] of [
  ['text', 'Dear printer, please imagine a picture here.'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>'],
  ['PDF', '%PDF-1.4\n1 0 obj <<>> endobj'],
  ['GIF', Buffer.from('GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;', 'latin1')],
  ['one byte', Buffer.of(0xff)],
] as const) {
  test(`rejects ${what} as an unsupported type, independent of its name`, async (t) => {
    await assert.rejects(inspectBytes(t, bytes, 'photo.jpg'), refusedAs('asset_type_unsupported'))
  })
}

test('rejects TIFFs whose samples are not unsigned integers of 8 or 16 bits, and names their kind', async (t) => {
  const { put } = scratch(t)
  for (const accepted of [
    { bits: 8, format: 1 },
    { bits: 16, format: 1 },
    // CIELAB samples are always signed, so they are accepted.
    { bits: 16, format: 2, photometric: 8 },
  ]) {
    const { widthPx, heightPx } = await inspectImage(put(tiffOf(accepted)))
    assert.deepEqual([widthPx, heightPx], [4, 4])
  }
  for (const [bits, format, what] of [
    [8, 2, 'signed integers of 8 bits'],
    [16, 2, 'signed integers of 16 bits'],
    [32, 1, 'unsigned integers of 32 bits'],
    [32, 2, 'signed integers of 32 bits'],
    [32, 3, 'floating-point numbers'],
  ] as const) {
    await assert.rejects(inspectImage(put(tiffOf({ bits, format }))), (error) => {
      assert.ok(error instanceof Refused && error.code === 'asset_type_unsupported', what)
      return error.detail.includes(what)
    })
  }
})

test('rejects an empty file', async (t) => {
  await assert.rejects(inspectBytes(t, ''), refusedAs('asset_unreadable'))
})

test('rejects 20,000 by 20,000 pixels from the header, before decoding', async (t) => {
  const begin = process.cpuUsage()
  await assert.rejects(inspectBytes(t, pngClaiming(20_000, 20_000)), refusedAs('asset_too_large'))
  assert.ok(processorMs(process.cpuUsage(begin)) < 1000)
})

test('rejects a side of more than 65,535 pixels', async (t) => {
  await assert.rejects(inspectBytes(t, pngClaiming(70_000, 10)), refusedAs('asset_too_large'))
})

test('rejects from the header an image that needs too much memory, and states why', async (t) => {
  const { put } = scratch(t)
  const refusalOf = (bytes: Buffer) =>
    inspectImage(put(bytes)).then(
      () => 'accepted',
      (error: unknown) => (error instanceof Refused ? `${error.code}: ${error.detail}` : error),
    )
  const cmyk = (options: object) => photo(8, 8).toColourspace('cmyk').jpeg(options).toBuffer()
  const webp = await photo(8, 8).webp({ lossless: true }).toBuffer()
  // Width and height are stored as 14 bits each, minus one (RFC 9649, section 3.4).
  webp.writeUInt32LE(((webp.readUInt32LE(21) >>> 28) << 28) | (9_999 << 14) | 9_999, 21)
  for (const [file, words] of [
    [jpegClaiming(10_000, 10_000, await cmyk({ progressive: true })), /^asset_too_large: .*progressive.* 763 MiB/],
    [pngClaiming(10_000, 10_000, 'heavy interlaced'), /^asset_too_large: .*interlaced.* 763 MiB/],
    [webp, /^asset_too_large: .*WebP.* 763 MiB/],
    // These images need less memory than the limit, so inspection tries to decode them.
    [jpegClaiming(10_000, 10_000, await cmyk({})), /^(?!asset_too_large)/],
    [pngClaiming(10_000, 10_000, 'heavy'), /^(?!asset_too_large)/],
    [pngClaiming(1_000, 1_000, 'heavy interlaced'), /^(?!asset_too_large)/],
  ] as const) {
    assert.match(String(await refusalOf(file)), words)
  }
})

test('rejects a PNG of a few kilobytes with a profile of more than 4 MiB, wherever it is', async (t) => {
  const { put } = scratch(t)
  const profileOf = (bytes: number): Buffer => {
    const small = makeRgbProfile(PRIMARIES[1] ?? [], (x) => x ** 2) ?? Buffer.alloc(0)
    const profile = Buffer.concat([small, Buffer.alloc(bytes - small.length)])
    profile.writeUInt32BE(bytes)
    return profile
  }
  const plain = await photo(8, 8).png().toBuffer()
  const withProfile = (file: Buffer, profile: Buffer) =>
    withPngChunks(file, { iCCP: Buffer.concat([Buffer.from('p\0\0', 'latin1'), deflateSync(profile)]) })
  let many: Buffer = plain
  for (let n = 0; n < 300; n += 1) many = withPngChunks(many, { teSt: Buffer.alloc(0) })
  const [most, larger] = [profileOf(4 * MIB), profileOf(4 * MIB + 4)]
  assert.equal((await inspectImage(put(withProfile(plain, most)))).colorSpace, 'rgb')
  // Decoders would inflate the whole profile before they state its length.
  const isHuge = (profile: Buffer) => hasHugePngProfile(put(withProfile(plain, profile)))
  assert.deepEqual(await Promise.all([most, larger].map(isHuge)), [false, true])
  for (const file of [withProfile(plain, larger), withProfile(many, larger)]) {
    assert.ok(file.length < 32 * 1024)
    await assert.rejects(inspectImage(put(file)), { code: 'asset_too_large', detail: /profile.* 4 MiB/ })
  }
})

test('an older upload is decoded without a profile of more than 4 MiB', async (t) => {
  const { put } = scratch(t)
  const samples = photo(8, 8)
  // A profile for which the conversion would change the samples, and which is not used.
  const small = makeRgbProfile(PRIMARIES[1] ?? [], (x) => x ** 4) ?? Buffer.alloc(0)
  const profile = Buffer.concat([small, Buffer.alloc(5 * MIB)])
  profile.writeUInt32BE(profile.length)
  const named = Buffer.concat([Buffer.from('p\0\0', 'latin1'), deflateSync(profile)])
  const plain = await samples.png().toBuffer()
  const colorsOf = (file: Buffer) => withColors(put(file), undefined, (colors) => colors.raw().toBuffer())
  assert.deepEqual(await colorsOf(withPngChunks(plain, { iCCP: named })), await colorsOf(plain))
})

test('rejects an image if decoding and rotating it need too much memory; a JPEG that print files include unchanged is accepted', async (t) => {
  const { put } = scratch(t)
  const codeOf = (file: Buffer) =>
    inspectImage(put(file)).then(
      () => 'accepted',
      ({ code }: Refused<AssetRefusal>) => code,
    )
  const png = (orientation: number) =>
    withPngChunks(pngClaiming(10_000, 8_000, 'heavy interlaced'), { eXIf: exifTurning(orientation) })
  assert.equal(await codeOf(png(2)), 'asset_unreadable')
  assert.equal(await codeOf(png(3)), 'asset_too_large')
  // Print files include this JPEG unchanged, so it is never decoded or rotated for printing.
  const jpeg = await photo(8, 8).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer()
  const app1 = Buffer.concat([Buffer.from('Exif\0\0'), exifTurning(6)])
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, app1.length + 2])
  const turned = Buffer.concat([head, app1, jpeg.subarray(2)])
  assert.equal((await inspectImage(put(turned))).orientation, 6)
  assert.notEqual(await codeOf(jpegClaiming(10_000, 7_600, turned)), 'asset_too_large')
})

test('rejects truncated files of each type: at the header, in the middle and just before the end', async (t) => {
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

test('rejects a JPEG whose last rows are missing, even if a preview would not need them', async (t) => {
  const file = await photo(1200, 900).jpeg().toBuffer()
  await assert.rejects(inspectBytes(t, file.subarray(0, -1000)), refusedAs('asset_unreadable'))
})

test('rejects a TIFF with more channels than colours and transparency', async (t) => {
  // This file is a grey image with three samples per pixel.
  await assert.rejects(inspectBytes(t, tiffOf({ bits: 8, format: 1, photometric: 1 })), (error) => {
    assert.ok(error instanceof Refused && error.code === 'asset_type_unsupported', String(error))
    return error.detail.includes('2 channels in addition to its colours')
  })
})

test('rejects a header without content, and a header followed by other data', async (t) => {
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

test('rejects a PNG whose compressed pixels are damaged', async (t) => {
  const file = await photo(300, 200).png().toBuffer()
  file.fill(0x55, file.length / 2, file.length / 2 + 200)
  await assert.rejects(inspectBytes(t, file), refusedAs('asset_unreadable'))
})
