import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addActualText, addGroupText, type DrawnText, formsDrawn } from './actual-text.ts'

const PLACE = [0.16, 0, 0, 0.16, 31.181103, 52.270706]

const object = (...shown: string[]) => [`${PLACE.join(' ')} cm`, 'BT', '/F7 100 Tf', ...shown, 'ET', 'Q'].join('\n')

const run = (run: Partial<DrawnText>): DrawnText => ({ text: 'नि', transform: PLACE, clusters: undefined, ...run })

test('a text run without clusters gets one ActualText span with its text', () => {
  assert.equal(
    addActualText(object('<0001> Tj', '5 0 Td <0002> Tj'), [run({})]),
    object('<0001> Tj', '5 0 Td <0002> Tj')
      .replace('BT', '/Span <</ActualText <feff0928093f>>> BDC\nBT')
      .replace('ET', 'ET\nEMC'),
  )
})

test('in a right-to-left run, each cluster is marked at its position on the page', () => {
  const text = run({ text: 'بلا', clusters: [1, 0, 0] })
  assert.equal(
    addActualText(object('<00010002> Tj', '5 0 Td <0003> Tj'), [text]),
    object(
      '/Span <</ActualText <feff06440627>>> BDC',
      '<0001> Tj',
      'EMC',
      '/Span <</ActualText <feff0628>>> BDC',
      '<0002> Tj',
      '5 0 Td',
      '<0003> Tj',
      'EMC',
    ),
  )
})

test('the text of a run that was split into several text objects occurs once', () => {
  const split = object('<0001> Tj', 'ET', 'BT', '/F7 100 Tf', '5 0 Td <0002> Tj')
  const marked = split.replace('BT', '/Span <</ActualText <feff00410042>>> BDC\nBT').replace(/ET\nQ$/, 'ET\nEMC\nQ')
  assert.equal(addActualText(split, [run({ text: 'AB' })]), marked)

  const clusters = addActualText(split, [run({ text: 'بل', clusters: [1, 0] })])
  assert.deepEqual(
    clusters.split('\n').filter((line) => /^(BT|ET|EMC)$|BDC$|Tj$/.test(line)),
    [
      ['BT', '/Span <</ActualText <feff0644>>> BDC', '<0001> Tj', 'EMC', 'ET'],
      ['BT', '/Span <</ActualText <feff0628>>> BDC', '<0002> Tj', 'EMC', 'ET'],
    ].flat(),
  )
})

test('text objects without a run, and runs without drawing, leave the content unchanged', () => {
  const content = object('<0001> Tj')
  const elsewhere = run({ transform: [1, 0, 0, 1, 0, 0] })
  assert.equal(addActualText(content, [elsewhere]), content)
  assert.equal(addActualText(content, []), content)
  assert.equal(addActualText(content, [run({ clusters: [0, 1, 2] })]), content)
  const marked = addActualText(content, [elsewhere, run({ text: 'A' })])
  assert.match(marked, /<feff0041>/)
})

test('the text of a group is marked in its form, wherever the page draws the form', () => {
  assert.deepEqual(formsDrawn('q\n1 0 0 1 10 20 cm\n/G3 gs\n/X7 Do\nQ\nBT\nET'), [{ name: 'X7', x: 10, y: 20 }])
  const moved = [0.16, 0, 0, 0.16, 41.181103, 72.270706]
  const hidden = [run({ text: 'hidden', transform: [1, 0, 0, 1, 0, 0] })]
  const later = [run({ text: 'later' })]
  const groups = [hidden, [run({ text: 'A', transform: moved })], later]
  const content = object('<0001> Tj')
  assert.match(addGroupText(content, { x: 10, y: 20 }, groups), /<feff0041>/)
  assert.deepEqual(groups, [later])
  // A form without text and an unknown form stay unchanged.
  assert.equal(addGroupText('0 0 5 5 re\nf', { x: 0, y: 0 }, groups), '0 0 5 5 re\nf')
  assert.equal(addGroupText(content, { x: 99, y: 99 }, groups), content)
  assert.deepEqual(groups, [later])
})
