import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImageLayer, PrintArea } from '../../drawing/index.ts'
import { decodeSize, previewSize, previewSizeByLongSide } from './preview-size.ts'

const area = (widthMm: number, heightMm: number): PrintArea => ({
  id: 'front',
  name: 'Front',
  widthMm,
  heightMm,
  bleedMm: 3,
  safeMarginMm: 4,
  targetDpi: 300,
  required: true,
})

const image = (layer: Partial<ImageLayer>): ImageLayer => ({
  id: 'photo',
  type: 'image',
  x: 0,
  y: 0,
  width: 100,
  height: 100,
  rotation: 0,
  opacity: 1,
  assetId: 'a',
  fit: 'cover',
  flipX: false,
  flipY: false,
  ...layer,
})

const shown = (...layers: ImageLayer[]) => [{ printArea: area(100, 100), layers, pxPerMm: 10 }]
const PHOTO = { widthPx: 6000, heightPx: 4000 }

test('a preview has the proportions of the trim box', () => {
  assert.deepEqual(previewSize(area(148, 105), 740), { widthPx: 740, heightPx: 525 })
  assert.deepEqual(previewSizeByLongSide(area(105, 148), 1200), { widthPx: 851, heightPx: 1200 })
})

test('a preview of a very long print area has a bounded size', () => {
  assert.deepEqual(previewSize(area(1, 10_000), 2000), { widthPx: 1, heightPx: 4000 })
  assert.deepEqual(previewSize(area(10_000, 0.001), 16), { widthPx: 16, heightPx: 1 })
})

test('an image is decoded as large as it is shown', () => {
  assert.deepEqual(decodeSize('a', PHOTO, shown(image({})), 1), { widthPx: 1500, heightPx: 1000 })
  assert.deepEqual(decodeSize('a', PHOTO, shown(image({ fit: 'contain' })), 1), { widthPx: 1000, heightPx: 667 })
  assert.deepEqual(decodeSize('a', PHOTO, shown(image({ fit: 'stretch' })), 1), { widthPx: 1000, heightPx: 1000 })
})

test('a cropped image is decoded at a higher resolution, because less of the image fills the box', () => {
  const half = image({ fit: 'stretch', crop: { x: 0, y: 0.5, width: 0.5, height: 0.5 } })
  assert.deepEqual(decodeSize('a', PHOTO, shown(half), 1), { widthPx: 2000, heightPx: 2000 })
})

test('the largest use of an image determines its size, and other images have no influence', () => {
  const small = image({ width: 10, height: 10 })
  const other = image({ assetId: 'b', width: 500, height: 500 })
  assert.deepEqual(decodeSize('a', PHOTO, shown(small, image({}), other), 2), { widthPx: 1500, heightPx: 1000 })
})

test('an image is never decoded larger than it is', () => {
  assert.deepEqual(decodeSize('a', { widthPx: 60, heightPx: 40 }, shown(image({})), 1), { widthPx: 60, heightPx: 40 })
})

test('all images of a job together stay within their memory limit', () => {
  const huge = { widthPx: 10_000, heightPx: 10_000 }
  const tiny = image({ crop: { x: 0, y: 0, width: 0.01, height: 0.01 } })
  const { widthPx, heightPx } = decodeSize('a', huge, shown(tiny), 10)
  assert.ok(widthPx * heightPx * 10 <= 48_100_000 && widthPx > 2000)
})
