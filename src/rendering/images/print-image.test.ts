import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { encodeRows } from './encode-rows.ts'
import { photo, scratch, unfilterRows } from './factory.ts'
import { readPrintImage } from './print-image.ts'

test('a file that is cut short or is no image makes no print image, whichever way it would have gone', async (t) => {
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

test('a profile that no reader could make sense of stays out of the print file', async (t) => {
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
    ['without a curve', (bytes) => bytes.write('xxxx', bytes.indexOf('rTRC', profile), 'latin1')],
  ]
  for (const [what, change] of damage) {
    const damaged = Buffer.from(file)
    change(damaged)
    assert.equal((await read(damaged)).icc, undefined, what)
  }
})

test('rows hold every sample, of any channels, also when they are more than one piece', async () => {
  const [widthPx, heightPx] = [70, 50]
  const { data } = await photo(widthPx, heightPx, 4).raw().toBuffer({ resolveWithObject: true })
  const samples = { data, widthPx, heightPx, channels: 4 }
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
