import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { deflateSync, inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { until } from '../../../test/lib/until.ts'
import { makeRgbProfile, PRIMARIES } from '../color/make-profile.ts'
import { encodeRows } from './encode-rows.ts'
import { BLUE, photo, RED, scratch, unfilterRows, withPngPixels } from './factory.ts'
import { readJpegStream } from './jpeg.ts'
import { openSamples, withColors } from './open-image.ts'
import { chunks, pngChunk, readPngStream } from './png.ts'
import { readPrintImage } from './print-image.ts'

const samplesOf = (path: string) => withColors(path, undefined, (colors) => colors.raw().toBuffer())

test('a truncated file or a file that is not an image gives no print image', async (t) => {
  const { put } = scratch(t)
  const read = (bytes: Buffer) => readPrintImage(put(bytes), hash('sha256', bytes), (original) => original)
  for (const file of [
    await photo(300, 200).jpeg().toBuffer(),
    await photo(300, 200).jpeg({ progressive: true }).toBuffer(),
    await photo(300, 200).png().toBuffer(),
    await photo(300, 200, 4).png().toBuffer(),
    await photo(300, 200).png({ progressive: true }).toBuffer(),
    await photo(300, 200).webp().toBuffer(),
    await photo(300, 200).tiff({ compression: 'lzw' }).toBuffer(),
  ]) {
    for (const share of [0.02, 0.5, 0.98]) await assert.rejects(read(file.subarray(0, Math.ceil(file.length * share))))
  }
  await assert.rejects(read(Buffer.from('%PDF-1.4')))
  await assert.rejects(read(Buffer.alloc(0)))
})

// The decoder, which draws the previews, uses some of these profiles.
test('an image with a profile that a PDF may not contain is converted as the decoder reads it', async (t) => {
  const { put } = scratch(t)
  const file = await photo(30, 20).withIccProfile('p3').jpeg().toBuffer()
  const read = (bytes: Buffer) => readPrintImage(put(bytes), hash('sha256', bytes), (original) => original)
  assert.ok((await read(file)).icc)
  const profile = file.indexOf('ICC_PROFILE\0') + 14
  const damage: [string, (bytes: Buffer) => void][] = [
    ['of another length', (bytes) => bytes.writeUInt32BE(1000, profile)],
    ['of a device link', (bytes) => bytes.write('link', profile + 12, 'latin1')],
    ['of CMYK', (bytes) => bytes.write('CMYK', profile + 16, 'latin1')],
    ['with a tag outside', (bytes) => bytes.writeUInt32BE(100_000, profile + 132 + 8)],
    ['of version 5', (bytes) => bytes.writeUInt8(5, profile + 8)],
    ['with a tag twice', (bytes) => bytes.copy(bytes, profile + 132 + 12, profile + 132, profile + 132 + 4)],
    ['without a curve', (bytes) => bytes.write('xxxx', bytes.indexOf('rTRC', profile), 'latin1')],
  ]
  for (const [what, change] of damage) {
    const damaged = Buffer.from(file)
    change(damaged)
    const image = await read(damaged)
    assert.deepEqual([image.icc, image.encoding], [undefined, 'png-rows'], what)
    const printed = unfilterRows(inflateSync(image.bytes), 30, image.components)
    assert.deepEqual(printed, await samplesOf(put(damaged)), what)
  }
})

test('a PNG whose pixels inflate to more or less than its header states is converted', async (t) => {
  const { put } = scratch(t)
  const read = (bytes: Buffer) => readPrintImage(put(bytes), hash('sha256', bytes), (original) => original)
  const [widthPx, heightPx] = [10, 10]
  const rowBytes = 1 + widthPx * 3
  const file = await photo(widthPx, heightPx).png().toBuffer()
  const pixels = (bytes: number) => deflateSync(Buffer.alloc(bytes))
  const whole = pixels(heightPx * rowBytes)
  assert.deepEqual((await read(withPngPixels(file, whole))).bytes, whole)
  for (const bytes of [heightPx * rowBytes + 1, 5_000_000]) {
    const image = await read(withPngPixels(file, pixels(bytes)))
    assert.equal(inflateSync(image.bytes).length, heightPx * rowBytes, `${bytes} bytes`)
  }
  await assert.rejects(read(withPngPixels(file, pixels(heightPx * rowBytes - 1))))
  await assert.rejects(read(withPngPixels(file, whole.subarray(0, -4))))
})

/**
 * Returns a copy of a JPEG file without the Huffman tables for which `isLeftOut` returns true (ITU-T T.81, section
 * B.2.4.2).
 */
function withoutTables(file: Buffer, isLeftOut: (tableClass: number, id: number) => boolean): Buffer {
  const parts = [file.subarray(0, 2)]
  let at = 2
  for (; file[at + 1] !== 0xda; at += 2 + file.readUInt16BE(at + 2)) {
    const head = file[at + 4] ?? 0
    const isTable = file[at + 1] === 0xc4
    if (!(isTable && isLeftOut(head >> 4, head & 15))) parts.push(file.subarray(at, at + 2 + file.readUInt16BE(at + 2)))
  }
  return Buffer.concat([...parts, file.subarray(at)])
}

test('samples in the work folder are removed after compression, also if decoding fails', async (t) => {
  const [{ put }, { dir }] = [scratch(t), scratch(t)]
  const read = (bytes: Buffer) => readPrintImage(put(bytes), hash('sha256', bytes), (original) => original, dir)
  const file = await photo(300, 200, 4).png().toBuffer()
  let changes = 0
  const watcher = watch(dir, () => (changes += 1))
  t.after(() => watcher.close())
  await read(file)
  await until('the samples were in the folder', () => changes > 0)
  assert.deepEqual(await readdir(dir), [])
  await assert.rejects(read(file.subarray(0, file.length / 2)))
  assert.deepEqual(await readdir(dir), [])
})

test('the stream of a JPEG has no metadata, and the same pixels', async (t) => {
  const exif = { IFD0: { Copyright: 'a secret name' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } }
  const file = await photo(40, 30)
    .withExif(exif)
    .withIccProfile('p3')
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
    .jpeg()
    .toBuffer()
  const { put } = scratch(t)
  const { bytes, icc } = await readPrintImage(put(file), hash('sha256', file), (original) => original)
  assert.ok(file.includes('a secret name') && file.includes('xmpmeta'))
  for (const text of ['Exif', 'a secret name', 'xmpmeta']) assert.ok(!bytes.includes(text), text)
  assert.ok(icc !== undefined)
  assert.deepEqual(await sharp(put(bytes)).raw().toBuffer(), await sharp(put(file)).raw().toBuffer())
})

test('a JPEG without Huffman tables is converted', async (t) => {
  const { put } = scratch(t)
  const encodingOf = async (bytes: Buffer) =>
    (await readPrintImage(put(bytes), hash('sha256', bytes), (original) => original)).encoding
  const file = await photo(40, 30).jpeg({ optimizeCoding: false }).toBuffer()
  assert.equal(await encodingOf(withoutTables(file, () => false)), 'jpeg')
  assert.equal(await encodingOf(withoutTables(file, () => true)), 'png-rows')
  assert.equal(await encodingOf(withoutTables(file, (tableClass, id) => tableClass === 1 && id === 1)), 'png-rows')
  for (const options of [{ progressive: true }, { optimizeCoding: true }, { mozjpeg: true }]) {
    assert.equal(await encodingOf(await photo(40, 30).jpeg(options).toBuffer()), 'jpeg')
    assert.equal(await encodingOf(await photo(40, 30, 1).toColourspace('b-w').jpeg(options).toBuffer()), 'jpeg')
  }
})

test('a JPEG with a second frame before its end is converted', async (t) => {
  const { put } = scratch(t)
  const file = await photo(40, 30).jpeg().toBuffer()
  const frameAt = file.indexOf(Buffer.from([0xff, 0xc0]))
  const frame = Buffer.from(file.subarray(frameAt, frameAt + 2 + file.readUInt16BE(frameAt + 2)))
  frame.writeUInt16BE(400, 7)
  const bytes = Buffer.concat([file.subarray(0, -2), frame, file.subarray(-2)])
  const { encoding, widthPx } = await readPrintImage(put(bytes), hash('sha256', bytes), (original) => original)
  assert.deepEqual([encoding, widthPx], ['png-rows', 40])
})

// libjpeg, which draws previews, reads the marker before the scan only. A PDF reader may read it anywhere.
test('a JPEG whose colours are stated behind its scan is converted', async (t) => {
  const { put } = scratch(t)
  const file = await photo(40, 30).jpeg().toBuffer()
  const marker = (code: number, data: string) =>
    Buffer.concat([Buffer.from([0xff, code, 0, data.length + 2]), Buffer.from(data, 'latin1')])
  for (const late of [marker(0xee, 'Adobe\0d\0\0\0\0\x01'), marker(0xe2, 'ICC_PROFILE\0\x01\x01profile')]) {
    const bytes = Buffer.concat([file.subarray(0, -2), late, file.subarray(-2)])
    const { encoding } = await readPrintImage(put(bytes), hash('sha256', bytes), (original) => original)
    assert.equal(encoding, 'png-rows')
  }
})

const [WIDTH, HEIGHT] = [60, 40]
const plainOf = (color: readonly number[]) =>
  openSamples(Buffer.alloc(WIDTH * HEIGHT * 3, Buffer.from(color)), { width: WIDTH, height: HEIGHT, channels: 3 })

// Decoders read these files differently: a preview would show one image, and the print file another.
test('a PNG whose chunks decoders read differently is converted', async (t) => {
  const { put } = scratch(t)
  const plain = await plainOf(RED).png().toBuffer()
  const [header, ...others] = [...chunks(plain)].map(({ whole }) => whole)
  const end = others.pop()
  const [white, ...points] = PRIMARIES[1] ?? []
  assert.ok(white !== undefined)
  const usual = makeRgbProfile([white, ...points], (sample) => sample ** 2.2)
  const swapped = makeRgbProfile([white, ...points.toReversed()], (sample) => sample ** 2.2)
  assert.ok(header !== undefined && end !== undefined && swapped !== undefined && usual !== undefined)
  const profile = (icc: Buffer) => pngChunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(icc)]))
  const broken = profile(swapped)
  broken.writeUInt32BE(0, broken.length - 4)
  // An image of 3 x 724 pixels has as many bytes as one of 60 x 40, with one more byte for each row.
  const narrow = Buffer.from(header.subarray(8, -4))
  narrow.writeUInt32BE(3, 0)
  narrow.writeUInt32BE(724, 4)
  const text = pngChunk('tEXt', Buffer.from('a\0b'))
  const files = {
    'a second header behind the pixels': [header, ...others, pngChunk('IHDR', narrow), end],
    'a profile behind the pixels': [header, ...others, profile(swapped), end],
    'two profiles': [header, profile(usual), profile(swapped), ...others, end],
    'a profile with a wrong checksum': [header, broken, ...others, end],
    'text between pixels': [header, ...others, text, ...others, end],
  }
  for (const [what, parts] of Object.entries(files)) {
    const file = Buffer.concat([plain.subarray(0, 8), ...parts])
    assert.equal(await readPngStream(file), undefined, what)
    const path = put(file)
    const image = await readPrintImage(path, hash('sha256', file), (original) => original)
    assert.deepEqual([image.widthPx, image.heightPx, image.icc], [WIDTH, HEIGHT, undefined], what)
    const printed = unfilterRows(inflateSync(image.bytes), WIDTH, image.components)
    assert.deepEqual(printed, await samplesOf(path), what)
  }
  assert.ok((await readPngStream(plain)) !== undefined)
})

test('a JPEG whose segments decoders read differently is converted', async (t) => {
  const { put } = scratch(t)
  const [red, blue] = [await plainOf(RED).jpeg().toBuffer(), await plainOf(BLUE).jpeg().toBuffer()]
  // TEM has no length, so libjpeg reads a comment behind it that hides the header of the next segment. A reader that
  // takes the bytes behind TEM as a length finds this segment around the red image, and a blue image behind it.
  const tem = Buffer.from([0xff, 0x01, 0, 6, 0xff, 0xfe, 0, 6])
  const around = Buffer.from([0xff, 0xe1, 0, 0])
  around.writeUInt16BE(red.length, 2)
  const empty = Buffer.from([0xff, 0xe0, 0, 2])
  const file = Buffer.concat([red.subarray(0, 2), tem, around, red.subarray(2), empty, blue.subarray(2)])
  const image = await readPrintImage(put(file), hash('sha256', file), (original) => original)
  assert.equal(image.encoding, 'png-rows')
  const [r = 0, , b = 0] = unfilterRows(inflateSync(image.bytes), WIDTH, image.components)
  assert.ok(r > 200 && b < 50, `red ${r}, blue ${b}`)
})

test('a JPEG with very many segments is converted, and its pixels stay', async (t) => {
  const { put } = scratch(t)
  const file = await photo(30, 20).jpeg().toBuffer()
  const empty = Buffer.from([0xff, 0xe3, 0, 2])
  const withSegments = (count: number) =>
    Buffer.concat([file.subarray(0, 2), Buffer.alloc(count * empty.length, empty), file.subarray(2)])
  assert.deepEqual(readJpegStream(withSegments(1_000))?.bytes, readJpegStream(file)?.bytes)
  const bytes = withSegments(5_000_000)
  assert.equal(readJpegStream(bytes), undefined)
  const { encoding, widthPx } = await readPrintImage(put(bytes), hash('sha256', bytes), (original) => original)
  assert.deepEqual([encoding, widthPx], ['png-rows', 30])
})

test('encoded rows contain every sample, for any channels and several pieces', async () => {
  const [widthPx, heightPx] = [70, 50]
  const { data } = await photo(widthPx, heightPx, 4).raw().toBuffer({ resolveWithObject: true })
  const stride = widthPx * 4
  const readRows = (from: number, to: number) => data.subarray(from * stride, to * stride)
  const samples = { readRows, widthPx, heightPx, channels: 4 }
  for (const [first, components] of [
    [0, 3],
    [3, 1],
  ] as const) {
    const { bytes } = await encodeRows(samples, first, components, 1000)
    const wanted = Buffer.alloc(widthPx * heightPx * components)
    for (let at = 0; at < wanted.length; at += 1) {
      wanted[at] = data[Math.floor(at / components) * 4 + first + (at % components)] ?? 0
    }
    assert.ok(unfilterRows(inflateSync(bytes), widthPx, components).equals(wanted))
  }
})
