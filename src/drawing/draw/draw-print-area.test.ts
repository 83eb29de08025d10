import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import type { Canvas2D, DrawableImage, Orientation } from '../canvas.ts'
import { a6, documentOf, fonts, imageLayer, qrLayer, shapeLayer, textLayer } from '../factory.ts'
import { QUIET_ZONE_MODULES, qrCode } from '../layers/qr/qr-code.ts'
import { drawPrintArea } from './draw-print-area.ts'
import { draw } from './pixels.fixture.ts'

const WHITE = '#ffffff'
const FILL = '#336699'

test('lengths are in millimetres from the trim box, with and without bleed', () => {
  for (const box of ['bleed', 'trim'] as const) {
    const { at } = draw([shapeLayer({ x: 10, y: 20, width: 30, height: 40 })], { box })
    assert.deepEqual([at(9.5, 21), at(10.5, 20.5), at(39.5, 59.5), at(40.5, 59)], [WHITE, FILL, FILL, WHITE])
  }
})

test('later layers lie above earlier ones', () => {
  const { at } = draw([shapeLayer({ id: 'a' }), shapeLayer({ id: 'b', fill: '#cc0000' })])
  assert.equal(at(30, 30), '#cc0000')
})

test('rotates clockwise around the centre', () => {
  const { at } = draw([shapeLayer({ x: 40, y: 60, width: 20, height: 4, rotation: 90 })])
  assert.deepEqual([at(50, 53), at(50, 71), at(42, 62)], [FILL, FILL, WHITE])
})

test('opacity mixes with what lies below', () => {
  assert.equal(draw([shapeLayer({ fill: '#000000', opacity: 0.5 })]).at(30, 30), '#7f7f7f')
})

test('translucent text fades as one group, so that overlapping letters and lines are invisible', () => {
  const stacked = { text: 'H\nH\nH', fontSizePt: 100, lineHeight: 0.1, letterSpacing: -0.5 }
  for (const faded of [{ opacity: 0.5 }, { color: '#00000080' }, { color: '#000000B4', opacity: 0.71 }]) {
    const { at } = draw([textLayer({ x: 10, y: 10, width: 80, height: 80, ...stacked, ...faded })])
    const seen = new Set<string>()
    for (let x = 10; x < 40; x += 0.25) for (let y = 0; y < 40; y += 0.25) seen.add(at(x, y).slice(1, 3))
    const darkest = Math.min(...Array.from(seen, (channel) => Number.parseInt(channel, 16)))
    assert.ok(darkest >= 0x7e && darkest <= 0x82, `${JSON.stringify(faded)}: ${darkest.toString(16)}`)
  }
})

test('draws ellipses, rounded corners, lines and paths, but no invalid path', () => {
  const shape = (fields: object) => draw([shapeLayer({ x: 20, y: 20, width: 40, height: 20, ...fields })])
  const ellipse = shape({ shape: 'ellipse' })
  assert.deepEqual([ellipse.at(40, 21), ellipse.at(21, 21)], [FILL, WHITE])
  const rounded = shape({ cornerRadius: 8 })
  assert.deepEqual([rounded.at(20.8, 20.8), rounded.at(40, 20.5)], [WHITE, FILL])
  const line = shape({ shape: 'line', stroke: { color: '#ff0000', widthMm: 2 } })
  assert.deepEqual([line.at(40, 30), line.at(40, 22)], ['#ff0000', WHITE])
  const path = shape({ shape: 'path', path: 'M0 0H20V20Z' })
  assert.deepEqual([path.at(38, 25), path.at(22, 38)], [FILL, WHITE])
  assert.equal(shape({ shape: 'path', path: 'M0 0H20V20Z oops' }).at(38, 25), WHITE)
})

test('dash lengths are in millimetres', () => {
  const { at } = draw([
    shapeLayer({
      shape: 'line',
      x: 20,
      y: 50,
      width: 60,
      height: 0,
      stroke: { color: '#000000', widthMm: 2, dashMm: [10, 5] },
    }),
  ])
  assert.deepEqual([at(25, 50), at(32, 50), at(38, 50)], ['#000000', WHITE, '#000000'])
})

// The colours of the upright image: red top left, green top right, blue bottom left, black bottom right. For each EXIF
// orientation, `STORED` lists the indices of these colours in the order in which the file stores them.
const UPRIGHT = ['#ff0000', '#00ff00', '#0000ff', '#000000']
const STORED: Record<Orientation, number[]> = {
  1: [0, 1, 2, 3],
  2: [1, 0, 3, 2],
  3: [3, 2, 1, 0],
  4: [2, 3, 0, 1],
  5: [0, 2, 1, 3],
  6: [1, 3, 0, 2],
  7: [3, 1, 2, 0],
  8: [2, 0, 3, 1],
}

function quadrants(orientation: Orientation): DrawableImage {
  const turned = orientation >= 5
  const canvas = createCanvas(turned ? 20 : 40, turned ? 40 : 20)
  const ctx = canvas.getContext('2d')
  for (const [i, corner] of STORED[orientation].entries()) {
    ctx.fillStyle = UPRIGHT[corner] ?? ''
    ctx.fillRect(
      ((i % 2) * canvas.width) / 2,
      (Math.floor(i / 2) * canvas.height) / 2,
      canvas.width / 2,
      canvas.height / 2,
    )
  }
  return { source: canvas, widthPx: 4000, heightPx: 2000, orientation }
}

function drawImages(fields: Parameters<typeof imageLayer>[0], orientation: Orientation = 1) {
  const layer = imageLayer({ x: 20, y: 20, width: 60, height: 30, ...fields })
  const { at } = draw([layer], { images: new Map([['photo', quadrants(orientation)]]) })
  return [at(24, 24), at(76, 24), at(24, 46), at(76, 46)]
}

for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8] as const) {
  test(`sets an image of orientation ${orientation} upright`, () => {
    assert.deepEqual(drawImages({}, orientation), UPRIGHT)
  })
}

test('flips, crops and fits images', () => {
  const [red, green, blue, black] = UPRIGHT
  assert.deepEqual(drawImages({ flipX: true }), [green, red, black, blue])
  assert.deepEqual(drawImages({ flipY: true }), [blue, black, red, green])
  assert.deepEqual(drawImages({ crop: { x: 0.5, y: 0, width: 0.5, height: 0.5 } }), [green, green, green, green])
  assert.deepEqual(drawImages({ crop: { x: 0.25, y: 0, width: 0.5, height: 0.5 } }), [red, green, red, green])
  assert.deepEqual(drawImages({ width: 30, fit: 'contain' }).slice(0, 1), [WHITE])
  assert.deepEqual(drawImages({ height: 60, fit: 'stretch' }).slice(2), [red, green])
})

test('an image is clipped to its box', () => {
  const { at } = draw([imageLayer({ x: 40, y: 20, width: 10, height: 30 })], {
    images: new Map([['photo', quadrants(1)]]),
  })
  assert.deepEqual([at(39, 25), at(41, 25), at(49, 25), at(51, 25)], [WHITE, '#ff0000', '#00ff00', WHITE])
})

test('a QR code shows exactly its modules within a quiet zone', () => {
  const { at } = draw([
    qrLayer({ x: 10, y: 10, width: 33 * 2, height: 33 * 2 + 20, color: '#000080', background: '#ffff00' }),
  ])
  const code = qrCode('https://example.org', 'M')
  assert.equal(code?.size, 25)
  const dark = (x: number, y: number) =>
    code?.dark.some((r) => x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height) ?? false
  for (let y = -QUIET_ZONE_MODULES; y < 25 + QUIET_ZONE_MODULES; y++) {
    for (let x = -QUIET_ZONE_MODULES; x < 25 + QUIET_ZONE_MODULES; x++) {
      const color = at(10 + 2 * (x + QUIET_ZONE_MODULES) + 1, 20 + 2 * (y + QUIET_ZONE_MODULES) + 1)
      assert.equal(color, dark(x, y) ? '#000080' : '#ffff00', `module ${x}, ${y}`)
    }
  }
})

test('placeholders with a value are filled, and others are drawn as written', () => {
  const drawn = (data?: Record<string, string>) => {
    const texts: string[] = []
    const ctx = createCanvas(1, 1).getContext('2d')
    ctx.fillText = (text: string) => {
      texts.push(text)
    }
    const document = documentOf(textLayer({ text: '{{a}}-{{b}}' }))
    const input = { document, printArea: a6, fonts, images: new Map(), box: 'trim' } as const
    drawPrintArea(ctx as unknown as Canvas2D, data === undefined ? input : { ...input, data })
    return texts.join('')
  }
  assert.equal(drawn(), '{{a}}-{{b}}')
  assert.equal(drawn({ a: 'x' }), 'x-{{b}}')
})

test('a character that no font has is drawn as a box, never with a font of the computer', () => {
  const ctx = createCanvas(1, 1).getContext('2d')
  const texts: string[] = []
  ctx.fillText = (text: string) => {
    texts.push(text)
  }
  const document = documentOf(textLayer({ text: 'a𓀀b' }))
  drawPrintArea(ctx as unknown as Canvas2D, { document, printArea: a6, fonts, images: new Map(), box: 'trim' })
  assert.deepEqual(texts, ['a', 'b'])
})

test('a layer of an unknown type is an error and never left out of the print', () => {
  const layer = { ...shapeLayer(), type: 'sticker' } as never
  assert.throws(() => draw([layer]), { name: 'TypeError', message: 'Unknown layer type: sticker' })
})
