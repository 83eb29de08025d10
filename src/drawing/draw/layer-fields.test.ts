import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import type { DrawableImage } from '../canvas.ts'
import type { PrintArea } from '../document/design-document.ts'
import { a6, imageLayer, qrLayer, shapeLayer, textLayer } from '../factory.ts'
import { draw } from './pixels.fixture.ts'

const WHITE = '#ffffff'
const RED = '#ff0000'
const GREEN = '#00ff00'
const BLUE = '#0000ff'
const BLACK = '#000000'

/** A box of 20 by 20 mm at (20, 20). */
const box = { x: 20, y: 20, width: 20, height: 20 }
const backdrop = shapeLayer({ id: 'backdrop', x: 0, y: 0, width: 105, height: 148, fill: RED })

// Compares colours with a tolerance of two steps per channel, because mixing colours rounds the channels.
function near(actual: string, expected: string, what = '') {
  const channels = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const other = channels(expected)
  assert.ok(
    channels(actual).every((channel, i) => Math.abs(channel - (other[i] ?? 0)) <= 2),
    `${what} ${actual} is not ${expected}`,
  )
}

test('a shape with fill and stroke fades as one group, without a visible overlap', () => {
  const stroke = { color: BLACK, widthMm: 4 }
  for (const fields of [
    {},
    { shape: 'ellipse' as const },
    { rotation: 90 },
    { cornerRadius: 2 },
    { shape: 'path' as const, path: 'M0 0H20V20H0z' },
  ]) {
    const { at } = draw([backdrop, shapeLayer({ ...box, fill: BLUE, stroke, opacity: 0.5, ...fields })])
    near(at(30, 30), '#7f007f', 'fill')
    near(at(30, 19), '#7f0000', 'outer half of the stroke')
    near(at(30, 21), '#7f0000', 'inner half of the stroke')
    near(at(30, 17), RED)
  }
})

test('colours with alpha mix with what lies below, the fill below its stroke included', () => {
  const stroke = { color: '#00000080', widthMm: 4 }
  const { at } = draw([backdrop, shapeLayer({ ...box, fill: BLUE, stroke })])
  near(at(30, 21), '#00007f')
  near(at(30, 19), '#7f0000')
  near(draw([backdrop, shapeLayer({ ...box, fill: '#0000FF80', opacity: 0.5 })]).at(30, 30), '#bf0040')
  near(draw([backdrop, shapeLayer({ ...box, fill: '#0000FF00' })]).at(30, 30), RED)
})

test('a code fades as one group, and layers below a transparent background are visible', () => {
  // 29 modules including the quiet zone, one millimetre each. The finder pattern begins at the fifth module.
  const code = { x: 10, y: 10, width: 29, height: 29, value: 'a', color: BLUE, background: WHITE }
  const parts = (fields: object) => {
    const { at } = draw([backdrop, qrLayer({ ...code, ...fields })])
    return [at(12, 12), at(14.5, 14.5)]
  }
  assert.deepEqual(parts({}), [WHITE, BLUE])
  const [ground = '', module = ''] = parts({ opacity: 0.5 })
  near(ground, '#ff7f7f')
  near(module, '#7f007f')
  assert.deepEqual(parts({ background: '#FFFFFF00' }), [RED, BLUE])
  near(parts({ background: '#FFFFFF80' })[0] ?? '', '#ff8080')
})

test('a stroke lies half inside and half outside its outline, and lines have butt caps', () => {
  const stroke = { color: BLACK, widthMm: 2 }
  const { at } = draw([shapeLayer({ ...box, fill: GREEN, stroke })])
  assert.deepEqual([at(18.8, 30), at(19.2, 30), at(20.8, 30), at(21.2, 30)], [WHITE, BLACK, BLACK, GREEN])
  assert.equal(at(19.2, 19.2), BLACK, 'corners are mitred')
  const line = draw([
    shapeLayer({ shape: 'line', x: 20, y: 20, width: 20, height: 0, fill: GREEN, stroke, opacity: 0.5 }),
  ])
  near(line.at(30, 20.5), '#7f7f7f')
  assert.deepEqual([line.at(19.5, 20), line.at(40.5, 20), line.at(30, 21.5)], [WHITE, WHITE, WHITE])
  const diagonal = draw([shapeLayer({ shape: 'line', ...box, stroke })])
  assert.deepEqual([diagonal.at(30, 30), diagonal.at(38, 22)], [BLACK, WHITE])
})

test('dashes start with the outline, and an odd list of lengths is repeated', () => {
  const line = { shape: 'line', x: 20, y: 50, width: 60, height: 0 } as const
  const { at } = draw([shapeLayer({ ...line, stroke: { color: BLACK, widthMm: 2, dashMm: [10, 5, 3] } })])
  // When the list repeats, the lengths are: 10 drawn, 5 gap, 3 drawn, 10 gap, 5 drawn, 3 gap.
  assert.deepEqual(
    [at(25, 50), at(32, 50), at(36, 50), at(43, 50), at(50, 50), at(54.5, 50), at(60, 50)],
    [BLACK, WHITE, BLACK, WHITE, BLACK, WHITE, BLACK],
  )
})

test('corners are rounded by at most half of the shorter side', () => {
  const { at } = draw([shapeLayer({ x: 20, y: 20, width: 40, height: 20, cornerRadius: 500, fill: BLUE })])
  assert.deepEqual([at(21, 21), at(20.5, 30), at(40, 20.5), at(59.5, 30)], [WHITE, BLUE, BLUE, BLUE])
})

test('paths are filled by the nonzero rule, start at the top left of their box, and keep their own size', () => {
  const twice = 'M0 0H30V30H0zM10 10H20V20H10z'
  const shape = (path: string) =>
    draw([shapeLayer({ x: 20, y: 20, width: 5, height: 5, shape: 'path', path, fill: BLUE })])
  assert.equal(shape(twice).at(35, 35), BLUE)
  assert.equal(shape('M0 0H30V30H0zM10 10V20H20V10z').at(35, 35), WHITE, 'the other way round it is a hole')
  assert.deepEqual([shape(twice).at(49, 49), shape(twice).at(51, 51)], [BLUE, WHITE])
})

/** An image with red, green, blue and black quarters. */
function quarters(): Map<string, DrawableImage> {
  const canvas = createCanvas(40, 40)
  const ctx = canvas.getContext('2d')
  for (const [i, color] of [RED, GREEN, BLUE, BLACK].entries()) {
    ctx.fillStyle = color
    ctx.fillRect((i % 2) * 20, Math.floor(i / 2) * 20, 20, 20)
  }
  return new Map([['photo', { source: canvas, widthPx: 4000, heightPx: 4000, orientation: 1 }]])
}

function corners(fields: Parameters<typeof imageLayer>[0]): string[] {
  const { at } = draw([imageLayer({ ...box, ...fields })], { images: quarters() })
  return [at(22, 22), at(38, 22), at(22, 38), at(38, 38)]
}

test('an image is cropped, then flipped, then fitted, then turned', () => {
  assert.deepEqual(corners({}), [RED, GREEN, BLUE, BLACK])
  assert.deepEqual(corners({ rotation: 90 }), [BLUE, RED, BLACK, GREEN])
  assert.deepEqual(corners({ flipX: true, rotation: 90 }), [BLACK, GREEN, BLUE, RED])
  const right = { x: 0.5, y: 0, width: 0.5, height: 1 }
  assert.deepEqual(corners({ crop: right, fit: 'stretch' }), [GREEN, GREEN, BLACK, BLACK])
  assert.deepEqual(corners({ crop: right, fit: 'stretch', flipY: true }), [BLACK, BLACK, GREEN, GREEN])
  assert.deepEqual(corners({ crop: right, fit: 'contain', flipX: true }), [WHITE, WHITE, WHITE, WHITE])
  const uneven = { x: 0.25, y: 0, width: 0.75, height: 0.75 }
  assert.deepEqual(corners({ crop: uneven, flipX: true }), [GREEN, RED, BLACK, BLUE])
})

test('cover fills the box and clips, contain centres the whole image, stretch fills the box', () => {
  const wide = { x: 20, y: 20, width: 40, height: 20 }
  const at = (fit: 'cover' | 'contain' | 'stretch') => {
    const drawn = draw([imageLayer({ ...wide, fit })], { images: quarters() })
    return [drawn.at(20.3, 20.3), drawn.at(31, 21), drawn.at(49, 39), drawn.at(59.7, 39.7), drawn.at(61, 30)]
  }
  assert.deepEqual(at('cover'), [RED, RED, BLACK, BLACK, WHITE])
  assert.deepEqual(at('contain'), [WHITE, RED, BLACK, WHITE, WHITE])
  assert.deepEqual(at('stretch'), [RED, RED, BLACK, BLACK, WHITE])
})

test('an image fades by its opacity', () => {
  const { at } = draw([imageLayer({ ...box, opacity: 0.25 })], { images: quarters() })
  near(at(38, 38), '#bfbfbf')
})

test('a text has its colour, alpha and opacity, and rotates around the centre of its box', () => {
  // The stem of a capital I, eight times as high as wide, in the middle of the box.
  const stem = { ...box, text: 'I', fontSizePt: 60, fontWeight: 900, align: 'center', verticalAlign: 'middle' } as const
  assert.equal(draw([textLayer({ ...stem, color: BLUE })]).at(30, 32), BLUE)
  near(draw([textLayer({ ...stem, color: '#0000FF80' })]).at(30, 32), '#7f7fff')
  near(draw([textLayer({ ...stem, color: BLUE, opacity: 0.5 })]).at(30, 32), '#7f7fff')
  const turned = draw([textLayer({ ...stem, color: BLUE, rotation: 90 })])
  assert.deepEqual([turned.at(25, 30), turned.at(30, 25)], [BLUE, WHITE])
})

test('a preview of a round area is white outside the cut and complete inside', () => {
  const printArea: PrintArea = { ...a6, widthMm: 60, heightMm: 40, shape: 'ellipse' }
  const background = shapeLayer({ x: -3, y: -3, width: 66, height: 46, fill: BLUE })
  const { at } = draw([background], { printArea, box: 'trim' })
  assert.deepEqual([at(0.2, 0.2), at(59.7, 39.7), at(8, 6)], [WHITE, WHITE, WHITE])
  assert.deepEqual([at(0.5, 20), at(30, 0.5), at(30, 39.4), at(59.4, 20), at(10, 7)], [BLUE, BLUE, BLUE, BLUE, BLUE])
  const printed = draw([background], { printArea })
  assert.deepEqual([printed.at(0.2, 0.2), printed.at(-2, -2)], [BLUE, BLUE], 'the print file has it all')
})
