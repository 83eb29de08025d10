import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import type { ImageLayer, PrintArea } from '../../drawing/index.ts'
import { photo, scratch } from '../images/factory.ts'
import { readPrintImage } from '../images/print-image.ts'
import { sizeInPrint } from './print-size.ts'

// At 100 dpi, a box of 25.4 mm needs 100 pixels.
const INCH = 25.4
const area = (targetDpi = 100) => ({ targetDpi, widthMm: 100, heightMm: 100 }) as PrintArea

const image = (fields: Partial<ImageLayer> = {}) =>
  ({ type: 'image', assetId: 'a', width: INCH, height: INCH, fit: 'cover', ...fields }) as ImageLayer

const sizeOf = (widthPx: number, heightPx: number, ...layers: ImageLayer[]) => {
  const size = sizeInPrint('a', [{ printArea: area(), layers }])({ widthPx, heightPx })
  return [size.widthPx, size.heightPx]
}

test('an image keeps its pixels up to 1.5 times the target resolution, and is reduced to exactly the target above that', () => {
  assert.deepEqual(sizeOf(150, 150, image()), [150, 150])
  assert.deepEqual(sizeOf(151, 151, image()), [100, 100])
  assert.deepEqual(sizeOf(400, 400, image()), [100, 100])
  // Pixel counts are rounded up, so 133.3 pixels become 134.
  assert.deepEqual(sizeOf(400, 300, image()), [134, 100])
})

test('the largest use of an image determines how many pixels are retained, with its crop and fit', () => {
  assert.deepEqual(sizeOf(800, 800, image(), image({ width: 2 * INCH, height: 2 * INCH })), [200, 200])
  assert.deepEqual(sizeOf(800, 800, image({ crop: { x: 0, y: 0, width: 0.5, height: 0.5 } })), [200, 200])
  assert.deepEqual(sizeOf(800, 400, image({ fit: 'contain' })), [100, 50])
  assert.deepEqual(sizeOf(800, 400, image({ fit: 'stretch' })), [100, 100])
  // With "stretch", the image may have too many pixels along one side only. Then no side is reduced.
  assert.deepEqual(sizeOf(800, 140, image({ fit: 'stretch' })), [800, 140])
  assert.deepEqual(sizeOf(160, 160, image(), image({ width: 2 * INCH })), [160, 160])
})

test('each print area has a resolution of its own', () => {
  const areas = [
    { printArea: area(100), layers: [image()] },
    { printArea: area(300), layers: [image()] },
  ]
  assert.deepEqual(sizeInPrint('a', areas)({ widthPx: 600, heightPx: 600 }), { widthPx: 300, heightPx: 300 })
  assert.deepEqual(sizeInPrint('a', areas)({ widthPx: 440, heightPx: 440 }), { widthPx: 440, heightPx: 440 })
})

test('an image that is not a JPEG is reduced, including alpha and orientation; a JPEG stays unchanged', async (t) => {
  const { put } = scratch(t)
  const read = async (file: Buffer) => {
    const path = put(file)
    const size = sizeInPrint('a', [{ printArea: area(), layers: [image()] }])
    return readPrintImage(path, hash('sha256', await readFile(path)), size)
  }
  for (const file of [
    await photo(400, 300).png().toBuffer(),
    await photo(400, 300).png({ progressive: true }).toBuffer(),
    await photo(400, 300).webp().toBuffer(),
    await photo(400, 300, 4).tiff().toBuffer(),
    await photo(300, 400).withMetadata({ orientation: 6 }).tiff().toBuffer(),
    await photo(400, 300).toColourspace('cmyk').jpeg().toBuffer(),
  ]) {
    const { widthPx, heightPx, components, bytes, orientation, alpha } = await read(file)
    assert.deepEqual([widthPx, heightPx, orientation], [134, 100, 1])
    assert.equal(inflateSync(bytes).length, 100 * (1 + 134 * components))
    if (alpha !== undefined) assert.deepEqual([alpha.widthPx, alpha.heightPx], [134, 100])
  }
  const jpeg = await photo(400, 300).jpeg().toBuffer()
  assert.deepEqual((await read(jpeg)).bytes, jpeg)
})
