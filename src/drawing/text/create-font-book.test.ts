import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestStyle } from './create-font-book.ts'

const upright = [100, 300, 500, 700].map((weight) => ({ weight, style: 'normal' as const }))

// The cases of CSS Fonts 4, section 5.2.
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

test('prefers the style over the weight', () => {
  const styles = [...upright, { weight: 900, style: 'italic' as const }]
  assert.deepEqual(nearestStyle(styles, { weight: 300, style: 'italic' }), { weight: 900, style: 'italic' })
  assert.deepEqual(nearestStyle(upright, { weight: 300, style: 'italic' }), { weight: 300, style: 'normal' })
})
