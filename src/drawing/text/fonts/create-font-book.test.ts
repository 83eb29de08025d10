import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cmapOf, floodingGsub, makeFont } from '../../../rendering/user-fonts/factory.ts'
import { createFontBook } from './create-font-book.ts'
import { nearestStyle } from './nearest-style.ts'

const upright = [100, 300, 500, 700].map((weight) => ({ weight, style: 'normal' as const }))

// The expected results are those of CSS Fonts 4, section 5.2.
test('resolves a weight to the nearest one as CSS does', () => {
  const nearest = (weight: number) => nearestStyle(upright, { weight, style: 'normal' })?.weight
  assert.equal(nearest(700), 700)
  assert.equal(nearest(400), 500, 'from 400 to 500 heavier ones up to 500 come first')
  assert.equal(nearest(600), 700, 'above 500 heavier ones come first')
  assert.equal(nearest(900), 700)
  assert.equal(nearest(350), 300, 'below 400 lighter ones come first')
  assert.equal(nearest(200), 100)
  assert.equal(nearest(450), 500)
})

test('a font of the right style is preferred to one of the nearest weight', () => {
  const styles = [...upright, { weight: 900, style: 'italic' as const }]
  assert.deepEqual(nearestStyle(styles, { weight: 300, style: 'italic' }), { weight: 900, style: 'italic' })
  assert.deepEqual(nearestStyle(upright, { weight: 300, style: 'italic' }), { weight: 300, style: 'normal' })
})

test('a font that produces too many glyphs per letter cannot keep the layout busy', async () => {
  const edit = (tables: Map<string, Uint8Array>) => {
    tables.set('cmap', cmapOf(5, [[0x41, 0x5a]]))
    tables.set('GSUB', floodingGsub(5, 1000))
  }
  const bytes = await makeFont({ edit })
  const file = { family: 'Own', weight: 400, style: 'normal' as const, scripts: [], ranges: [[0x41, 0x5a] as const] }
  const book = createFontBook([{ ...file, load: () => ({ bytes, sha256: 'flood' }) }])
  const [face] = book.facesFor({ family: 'Own', weight: 400, style: 'normal' })
  assert.ok(face)
  for (const text of ['A', 'A'.repeat(1_000), 'B']) {
    const { width, glyphClusters } = book.shape({ face, text, direction: 'ltr', spaced: false })
    assert.deepEqual([width, glyphClusters.length], [text.length, text.length])
  }
})
