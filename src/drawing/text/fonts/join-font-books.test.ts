import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { makeFont } from '../../../rendering/user-fonts/factory.ts'
import { fonts as installed, textLayer } from '../../factory.ts'
import { layoutText } from '../layout.ts'
import { createFontBook, type FontFile } from './create-font-book.ts'
import { ownStyleFor } from './families.ts'
import type { FontBook, FontRequest } from './font-book.ts'
import { joinFontBooks } from './join-font-books.ts'

let bytes: Uint8Array
before(async () => {
  bytes = await makeFont()
})

/** Returns an uploaded font file of a family. `name` stands for its hash. */
function own(family: string, weight: number, name: string, style: FontFile['style'] = 'normal'): FontFile {
  return { family, weight, style, scripts: [], ranges: [[0, 0x10ffff]], load: () => ({ bytes, sha256: name }) }
}

const regular = { weight: 400, style: 'normal' } as const
const facesOf = (book: FontBook, request: FontRequest) => book.facesFor(request).map(({ sha256 }) => sha256)

test('a text uses its uploaded family, and installed fonts for missing glyphs', () => {
  const joined = joinFontBooks(createFontBook([own('Mine', 400, 'mine')]), installed)
  const { familyKnown, missing, lines } = layoutText(textLayer({ text: 'Latin Кириллица', fontFamily: 'Mine' }), joined)
  assert.deepEqual([familyKnown, missing], [true, []])
  const [first, second] = lines.flatMap(({ runs }) => runs).filter(({ text }) => text.trim() !== '')
  assert.deepEqual([first?.face?.family, second?.face?.family === 'Mine'], ['Mine', false])
})

test('an uploaded family is never searched for a text that names another family', () => {
  const joined = joinFontBooks(createFontBook([own('Mine', 400, 'mine'), own('Other', 400, 'other')]), installed)
  const inter = { ...regular, family: 'Inter' }
  assert.deepEqual(joined.facesFor(inter), installed.facesFor(inter))
  assert.equal(facesOf(joined, { ...regular, family: 'Mine' }).includes('other'), false)
  assert.deepEqual(joined.facesFor({ ...regular, family: 'Nobody has this' }), [])
})

test('in a family that is also installed, uploaded files come first in their style, and installed files serve the other styles', () => {
  const joined = joinFontBooks(createFontBook([own('Inter', 400, 'mine')]), installed)
  const faces = facesOf(joined, { ...regular, family: 'Inter' })
  assert.deepEqual(faces, ['mine', ...facesOf(installed, { ...regular, family: 'Inter' })])
  const bold = { weight: 700, style: 'normal', family: 'Inter' } as const
  assert.deepEqual(joined.facesFor(bold), installed.facesFor(bold))
})

test('a text gets the nearest style of its family, uploaded or installed', () => {
  const families = (...weights: number[]) => [
    { family: 'Inter', styles: weights.map((weight) => ({ weight, style: 'normal' as const })), scripts: [] },
  ]
  const wanted = (weight: number) => ({ family: 'Inter', weight, style: 'normal' }) as const
  assert.equal(ownStyleFor(families(800), families(400, 700), wanted(700)), undefined)
  assert.deepEqual(ownStyleFor(families(800), families(400, 700), wanted(900)), { weight: 800, style: 'normal' })
  assert.deepEqual(ownStyleFor(families(800), [], wanted(100)), { weight: 800, style: 'normal' })
  assert.equal(ownStyleFor([], families(400), wanted(400)), undefined)
})

test('of two uploaded files with the same style, the first one is used', () => {
  const joined = joinFontBooks(createFontBook([own('Mine', 400, 'newer'), own('Mine', 400, 'older')]), installed)
  assert.deepEqual(facesOf(joined, { ...regular, family: 'Mine' }).slice(0, 2), ['newer', 'older'])
})

test('the same request returns the same list, which the look-up of faces relies on', () => {
  const joined = joinFontBooks(createFontBook([own('Mine', 400, 'mine')]), installed)
  const request = { ...regular, family: 'Mine' }
  assert.equal(joined.facesFor(request), joined.facesFor({ ...request }))
})
