import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalizeLayer, parseColor } from '@platen/drawing'
import type { EditorLayer } from '../../../document/layers.ts'
import { emptyState, rect } from '../../../factory.ts'
import { hardShare, judgeLegibility, layersBelow } from './legibility.ts'

const WHITE = [255, 255, 255, 255]
const NIGHT = [16, 32, 48, 255]

const text = normalizeLayer({
  ...{ id: 'text', type: 'text', x: 20, y: 20, width: 40, height: 10, text: 'Words', fontFamily: 'Inter' },
  ...{ fontSizePt: 12, color: '#FFFFFF' },
}) as EditorLayer & { color: string }

test('a colour is judged against the pixels below, with its own opacity', () => {
  assert.equal(hardShare([...WHITE, ...NIGHT], parseColor('#FFFFFF')), 0.5)
  assert.equal(hardShare(NIGHT, parseColor('#FFFFFF')), 0)
  assert.equal(hardShare(NIGHT, parseColor('#FFFFFF20')), 1)
  assert.equal(hardShare(WHITE, parseColor('#000000')), 0)
})

test('only visible layers below that touch the text count', () => {
  const photo = rect('photo', { x: 0, y: 0, width: 148, height: 105 })
  const hidden = rect('hidden', { x: 0, y: 0, width: 148, height: 105, opacity: 0, hiddenOpacity: 1 })
  const beside = rect('beside', { x: 100, y: 80 })
  const above = rect('above', { x: 20, y: 20 })
  const { document } = emptyState([photo, hidden, beside, text, above])
  assert.deepEqual(
    layersBelow(text, document).map(({ id }) => id),
    ['photo'],
  )
})

test('on bare paper nothing is drawn, and without the picture below nothing is judged', () => {
  const [printArea] = emptyState().product.printAreas
  assert.ok(printArea !== undefined)
  const engine = { drawPlacement: () => assert.fail('nothing is drawn') }
  const judge = (layers: EditorLayer[], layer = text) =>
    judgeLegibility(layer, { engine, document: emptyState(layers).document, printArea, images: new Map() })
  assert.equal(judge([text]), 'low_on_paper')
  const dark = { ...text, color: '#000000' }
  assert.equal(judge([dark], dark), 'good')
  const photo = normalizeLayer({ id: 'photo', type: 'image', x: 0, y: 0, width: 148, height: 105, assetId: 'ast_1' })
  assert.equal(judge([photo, text]), 'unknown')
})
