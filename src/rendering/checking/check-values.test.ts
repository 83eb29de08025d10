import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CARD, documentOf, textLayer } from '../../designs/factory.ts'
import { normalizeDocument } from '../../drawing/index.ts'
import { loadFonts } from '../installed-fonts/fonts.ts'
import { checkEach, checkValues, TooMuchToCheck } from './check-values.ts'

const fonts = loadFonts().book

const AMPLE = 1_000_000
const ample = () => ({ left: AMPLE })

async function faults(layers: Parameters<typeof documentOf>[0], values: Record<string, string>, work = ample()) {
  const document = normalizeDocument(documentOf(layers))
  const found = checkValues({ document, printAreas: CARD.printAreas, fonts }, values, work)
  return found.map(({ code, name }) => [code, name])
}

const qr = (value: string, id = 'code') => ({ id, type: 'qr', x: 10, y: 10, width: 30, height: 30, value }) as const

test('a fault that occurs with any value is not reported for the value', async () => {
  const tiny = textLayer('Hello {{name}}', { fontSizePt: 3 })
  assert.deepEqual(await faults([tiny], { name: 'Ann' }), [])
  assert.deepEqual(await faults([tiny], { name: 'A\u0378' }), [['glyphs_missing', 'name']])
})

test('layers without placeholders and empty required areas are not checked', async () => {
  assert.deepEqual(await faults([textLayer('Much too long for its box '.repeat(20))], {}), [])
})

test('the value that causes the fault alone is named; if only a combination causes it, all are named', async () => {
  const pair = textLayer('{{first}} {{last}}', { width: 40, height: 6 })
  assert.deepEqual(await faults([pair], { first: 'Ann', last: 'Lee' }), [])
  assert.deepEqual(await faults([pair], { first: 'Ann', last: '\u0378' }), [['glyphs_missing', 'last']])
  const both = await faults([pair], { first: 'Wolfgang Amadé', last: 'Mozart of Salzburg' })
  assert.deepEqual(both, [
    ['text_overflow', 'first'],
    ['text_overflow', 'last'],
  ])
})

test('values count as often as they are used, in all texts together', async () => {
  const long = 'x '.repeat(1000)
  assert.deepEqual(await faults([textLayer('{{a}}'.repeat(6))], { a: long }), [['too_much_text', 'a']])
  const layers = ['a', 'b', 'c'].map((id, index) => textLayer('{{v}}'.repeat(4), { id, y: index * 15 }))
  assert.equal((await faults(layers, { v: long })).at(-1)?.[0], 'too_much_text')
  assert.deepEqual(await faults([qr('{{v}}{{v}}{{v}}{{v}}')], { v: long }), [['qr_value_too_long', 'v']])
})

test('QR values count like texts: many codes cannot evade the limit of a document', async () => {
  const codes = Array.from({ length: 30 }, (_, index) => qr('{{v}}', `code-${index}`))
  assert.deepEqual(await faults(codes, { v: 'x'.repeat(600) }), [])
  assert.deepEqual((await faults(codes, { v: 'x'.repeat(700) })).at(0), ['too_much_text', 'v'])
})

test('each check uses effort of the request, including checks that identify the faulty value', async () => {
  const layers = [textLayer('{{a}}'), qr('{{a}}')]
  const work = ample()
  await faults(layers, { a: 'x'.repeat(10) }, work)
  assert.equal(AMPLE - work.left, 120)
  await assert.rejects(faults(layers, { a: 'x' }, { left: 100 }), TooMuchToCheck)
  const pair = textLayer('{{a}}{{b}}', { width: 40, height: 6 })
  const [sound, faulty] = [ample(), ample()]
  await faults([pair], { a: 'x', b: 'x' }, sound)
  await faults([pair], { a: 'x', b: '\u0378' }, faulty)
  assert.ok(AMPLE - faulty.left > 3 * (AMPLE - sound.left))
})

test('a job checks values up to the text limit of one document, and at least the first set', () => {
  const document = normalizeDocument(documentOf([textLayer('{{a}}', { width: 70, height: 40, fontSizePt: 5 })]))
  const target = { document, printAreas: CARD.printAreas, fonts, onValues: () => {} }
  const checked = (count: number, text: string) => {
    const values = Array.from({ length: count }, () => ({ a: text }))
    return checkEach(target, { values, work: AMPLE, faults: 50 }).faults.length
  }
  assert.equal(checked(25, 'x '.repeat(500)), 19)
  assert.equal(checked(3, 'x '.repeat(4500)), 2)
  const twice = normalizeDocument(documentOf([textLayer('{{a}}'), textLayer('{{a}}', { id: 'again' })]))
  const long = { a: 'x '.repeat(5_000 - 1) }
  const { faults } = checkEach({ ...target, document: twice }, { values: [long, long], work: AMPLE, faults: 50 })
  assert.equal(faults.length, 1)
})
