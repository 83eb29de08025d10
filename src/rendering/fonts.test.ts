import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createCanvas, GlobalFonts } from '@napi-rs/canvas'
import { loadFonts } from './fonts.ts'

test('lists families with their styles and scripts, Inter first', () => {
  const { families } = loadFonts().book
  assert.deepEqual(
    families.map(({ family }) => family),
    ['Inter', 'Noto Sans Arabic', 'Noto Sans Devanagari'],
  )
  assert.deepEqual(families[0]?.scripts.toSorted(), ['Cyrl', 'Grek', 'Latn'])
  assert.equal(families[0]?.styles.length, 18)
  assert.ok(families[1]?.scripts.includes('Arab'))
  assert.ok(families[2]?.scripts.includes('Deva'))
})

test('an unknown family has no faces', () => {
  assert.deepEqual(loadFonts().book.facesFor({ family: 'Comic Neue', weight: 400, style: 'normal' }), [])
})

test('faces are what their hash says, and Skia takes them under their alias', () => {
  const { book, fileOf } = loadFonts()
  const [face] = book.facesFor({ family: 'Inter', weight: 430, style: 'italic' })
  assert.ok(face)
  const bytes = fileOf(face)
  assert.equal(createHash('sha256').update(bytes).digest('hex'), face.sha256)
  assert.notEqual(GlobalFonts.register(Buffer.from(bytes), face.alias), null)
  assert.ok(GlobalFonts.has(face.alias))
  const ctx = createCanvas(1, 1).getContext('2d')
  ctx.font = `100px "${face.alias}"`
  const { width } = book.shape({ face, text: 'Italic', direction: 'ltr', spaced: false })
  assert.ok(Math.abs(ctx.measureText('Italic').width - width * 100) < 0.01)
})

test('a family without italics supplies its upright style', () => {
  const [face] = loadFonts().book.facesFor({ family: 'Noto Sans Arabic', weight: 700, style: 'italic' })
  assert.equal(face?.family, 'Noto Sans Arabic')
})
