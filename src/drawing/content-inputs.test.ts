import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson } from './canonical-json.ts'
import { type ContentSource, contentInputs } from './content-inputs.ts'
import { a6, documentOf, fonts, imageLayer, installed, textLayer } from './factory.ts'
import { createFontBook, type FontFile } from './text/fonts/create-font-book.ts'

const assets = new Map([['photo', { sha256: 'abc' }]])
const base: ContentSource = { document: documentOf(textLayer(), imageLayer()), printAreas: [a6], assets, fonts }
const content = (source: Partial<ContentSource> = {}) => canonicalJson(contentInputs({ ...base, ...source }))

test('ids and names of an installation do not change the hashed inputs', () => {
  const document = {
    version: 1 as const,
    placements: [{ printAreaId: 'other', layers: [textLayer({ id: 'x' }), imageLayer({ id: 'y', assetId: 'ast_1' })] }],
  }
  const printAreas = [{ ...a6, id: 'other', name: 'Vorderseite', required: false, safeMarginMm: 1 }]
  assert.equal(content({ document, printAreas, assets: new Map([['ast_1', { sha256: 'abc' }]]) }), content())
})

test('notes and locks of an editor do not change the hashed inputs', () => {
  const noted = textLayer({ name: 'Headline', group: 'g1', hiddenOpacity: 0.5, lock: { move: true } })
  assert.equal(
    content({ document: documentOf(noted, imageLayer()) }),
    content({ document: documentOf(textLayer(), imageLayer()) }),
  )
})

test('every change of the pixels changes the hashed inputs', () => {
  const variants = [
    content(),
    content({ document: documentOf(imageLayer(), textLayer()) }),
    content({ document: documentOf(textLayer({ x: 20.001 }), imageLayer()) }),
    content({ document: documentOf(textLayer({ fontWeight: 700 }), imageLayer()) }),
    content({ assets: new Map([['photo', { sha256: 'abd' }]]) }),
    content({ printAreas: [{ ...a6, bleedMm: 2 }] }),
    content({ printAreas: [a6, { ...a6, id: 'back' }] }),
    content({ printAreas: [{ ...a6, shape: 'ellipse' }] }),
    content({ printAreas: [{ ...a6, cutPath: 'spot' }] }),
    content({ data: { name: 'Ann' } }),
  ]
  assert.equal(new Set(variants).size, variants.length)
})

test('fields that only checks use and values that equal the default do not change the hashed inputs', () => {
  assert.equal(content({ printAreas: [{ ...a6, minDpi: 100, shape: 'rectangle', cutPath: 'none' }] }), content())
})

test('the hashed inputs represent fonts by the files that are used, and consecutive text in one file by one entry', () => {
  const facesOf = (text: string): [string, number][] =>
    JSON.parse(content({ document: documentOf(textLayer({ text })) })).printAreas[0].layers[0].faces
  const [inter] = fonts.facesFor({ family: 'Inter', weight: 400, style: 'normal' })
  assert.deepEqual(facesOf('Hello again'), [[inter?.sha256, 0]])
  assert.equal(facesOf('Hello नमस्ते').length, 2)
})

test('fonts are represented with their letters, because two files of a family may have the same letter', () => {
  const files = ['Inter', 'Roboto'].map((family): FontFile => {
    const [face] = fonts.facesFor({ family, weight: 400, style: 'normal' })
    assert.ok(face)
    const load = () => ({ bytes: installed.fileOf(face), sha256: face.sha256 })
    return { family: 'Own', weight: 400, style: 'normal', scripts: [], ranges: [[0x20, 0x7e]], load }
  })
  const document = documentOf(textLayer({ fontFamily: 'Own' }))
  const inOrder = content({ document, fonts: createFontBook(files) })
  assert.notEqual(content({ document, fonts: createFontBook(files.toReversed()) }), inOrder)
})

test('canonical JSON sorts keys by UTF-16 units, has no white space and rejects values that JSON cannot hold', () => {
  const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, ö: undefined }
  assert.equal(canonicalJson(value), '{"\\r":2,"1":4,"\u0080":6,"€":1,"😀":5,"\ufb33":3}')
  assert.equal(canonicalJson([1e21, 0.000001, -0, 'a"', null, true]), '[1e+21,0.000001,0,"a\\"",null,true]')
  assert.throws(() => canonicalJson({ a: [Number.NaN] }), TypeError)
})
