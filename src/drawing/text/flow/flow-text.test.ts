import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextLayer } from '../../document/text-layer.ts'
import { fonts, textLayer } from '../../factory.ts'
import { mmToPt } from '../../shapes/units.ts'
import { type CaretStop, flowText } from './flow-text.ts'

const flow = (fields: Partial<TextLayer>) => flowText(textLayer({ width: 80, ...fields }), fonts)
const indexes = (stops: readonly CaretStop[]) => stops.map(({ index }) => index)
const xs = (stops: readonly CaretStop[]) => stops.map(({ xPt }) => xPt)
const isAscending = (values: number[]) => values.every((value, i) => i === 0 || value > (values[i - 1] ?? 0))
const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`)

test('Latin text has a stop at each grapheme, from the start of the line to its end', () => {
  const { stops, layout } = flow({ text: 'Wave e\u0301t' })
  assert.deepEqual(indexes(stops), [0, 1, 2, 3, 4, 5, 7, 8])
  assert.ok(isAscending(xs(stops)))
  const [line] = layout.lines
  near(stops[0]?.xPt ?? -1, line?.xPt ?? 0)
  near(stops.at(-1)?.xPt ?? -1, (line?.xPt ?? 0) + (line?.widthPt ?? 0))
  assert.deepEqual([stops[0]?.topPt, stops[0]?.bottomPt], [line?.topPt, (line?.topPt ?? 0) + (line?.heightPt ?? 0)])
})

test('a ligature is divided evenly among its letters', () => {
  const { stops } = flow({ text: 'ffi', fontFamily: 'Roboto' })
  const [a = 0, b = 0, c = 0, d = 0] = xs(stops)
  const shaped = fonts.shape({
    face: fonts.facesFor({ family: 'Roboto', weight: 400, style: 'normal' })[0] ?? assert.fail(),
    ...{ text: 'ffi', direction: 'ltr', spaced: false },
  })
  assert.equal(new Set(shaped.glyphClusters).size, 1, 'the font has this ligature')
  near(b - a, c - b)
  near(c - b, d - c)
})

test('Arabic and Hebrew carets move from right to left, and ligatures of Arabic are divided', () => {
  for (const text of ['سلام لا', 'שלום עולם']) {
    const { stops } = flow({ text })
    assert.deepEqual(
      indexes(stops),
      Array.from({ length: text.length + 1 }, (_, i) => i),
    )
    assert.ok(isAscending(xs(stops).map((x) => -x)), text)
    assert.ok(stops.every(({ direction }) => direction === 'rtl'))
  }
})

test('Devanagari has stops between syllables only', () => {
  const { stops } = flow({ text: 'नमस्ते दुनिया' })
  assert.deepEqual(indexes(stops), [0, 1, 2, 6, 7, 9, 11, 13])
  assert.ok(isAscending(xs(stops)))
})

test('in mixed text each word runs in its own direction, and the caret stands before the following letter', () => {
  const text = 'ab אבג cd'
  const { stops, rectsOfRange } = flow({ text })
  const x = (index: number) => stops[index]?.xPt ?? Number.NaN
  assert.deepEqual(
    stops.map(({ direction }) => direction),
    [...Array<string>(3).fill('ltr'), ...Array<string>(3).fill('rtl'), ...Array<string>(4).fill('ltr')],
  )
  assert.ok(x(3) > x(4) && x(4) > x(5) && x(6) < x(7))
  near(x(6), x(3))
  // Half of the Latin word and half of the Hebrew word are apart from each other.
  assert.equal(rectsOfRange(1, 5).length, 2)
  assert.equal(rectsOfRange(0, text.length).length, 1)
})

test('a wrapped line has the same index at its end and at the start of the next line', () => {
  const { stops, caretOf, layout } = flow({ text: 'one two three', width: 18 })
  assert.equal(layout.lines.length, 2)
  const twice = stops.filter(({ index }) => index === 8)
  assert.deepEqual(
    twice.map(({ lineIndex }) => lineIndex),
    [0, 1],
  )
  assert.deepEqual([caretOf(8).lineIndex, caretOf(8, 0).lineIndex], [1, 0])
  assert.ok((twice[0]?.xPt ?? 0) > (layout.lines[0]?.widthPt ?? 0), 'the blank at the end continues the line')
})

test('line ends of every kind, tabs and invisible characters leave the indexes of the written text', () => {
  const { stops, caretOf } = flow({ text: 'a\r\n\nb\tc' })
  assert.deepEqual(indexes(stops), [0, 1, 3, 4, 5, 6, 7])
  assert.deepEqual([caretOf(3).lineIndex, caretOf(4).lineIndex], [1, 2])
  const soft = flow({ text: 'Do\u00adnau' })
  assert.deepEqual(indexes(soft.stops), [0, 1, 2, 3, 4, 5, 6])
  near(soft.caretOf(2).xPt, soft.caretOf(3).xPt)
  const circle = flow({ text: 'x अा y' })
  near(circle.caretOf(6).xPt, circle.layout.lines[0]?.widthPt ?? 0)
})

test('a visible hyphen follows the caret at the end of the line', () => {
  const { stops, layout } = flow({ text: 'Donau\u00addampf', width: 17 })
  const [line] = layout.lines
  const last = stops.findLast(({ lineIndex }) => lineIndex === 0)
  assert.equal(line?.runs.at(-1)?.text, '-')
  near(last?.xPt ?? 0, line?.runs.at(-1)?.xPt ?? -1)
})

test('justified lines and letter spacing move the stops as they move the letters', () => {
  const { stops, layout } = flow({ text: 'one two three four', width: 20, align: 'justify' })
  const [line] = layout.lines
  const starts =
    line?.runs.filter(({ text }) => text.trim() !== '').map(({ start, xPt }) => [start, xPt] as const) ?? []
  assert.ok(starts.length > 1 && (line?.widthPt ?? 0) > mmToPt(20) - 1e-6)
  for (const [start, xPt] of starts) near(stops.find(({ index }) => index === start)?.xPt ?? -1, xPt)
  const [plain, spaced] = [flow({ text: 'abc' }), flow({ text: 'abc', letterSpacing: 0.5 })]
  near(spaced.caretOf(2).xPt, plain.caretOf(2).xPt + 2 * 0.5 * 12)
})

test('a click finds the nearest edge of the letter under it, and points outside find the nearest line and letter', () => {
  const { caretAt, caretOf, layout } = flow({ text: 'one\ntwo', verticalAlign: 'top' })
  const height = layout.lines[0]?.heightPt ?? 0
  const width = caretOf(1).xPt - caretOf(0).xPt
  assert.equal(caretAt({ xPt: 0.4 * width, yPt: 1 }).index, 0)
  assert.equal(caretAt({ xPt: 0.6 * width, yPt: 1 }).index, 1)
  assert.equal(caretAt({ xPt: 1000, yPt: -50 }).index, 3)
  assert.equal(caretAt({ xPt: -5, yPt: height + 1 }).index, 4)
  assert.equal(caretAt({ xPt: 1000, yPt: 1000 }).index, 7)
})

test('a click in right-to-left text finds the edge that was clicked', () => {
  const { caretAt, stops } = flow({ text: 'שלום' })
  const [first = 0, second = 0] = xs(stops)
  assert.equal(caretAt({ xPt: first - 0.1, yPt: 1 }).index, 0)
  assert.equal(caretAt({ xPt: second + 0.1, yPt: 1 }).index, 1)
})

test('a range covers its letters on each line, and selected line ends are narrow rectangles', () => {
  const { rectsOfRange, caretOf } = flow({ text: 'one\n\ntwo' })
  const rects = rectsOfRange(1, 6)
  assert.deepEqual(
    rects.map(({ lineIndex }) => lineIndex),
    [0, 1, 2],
  )
  near(rects[0]?.xPt ?? -1, caretOf(1).xPt)
  near(rects[2]?.widthPt ?? -1, caretOf(6).xPt - caretOf(5).xPt)
  assert.deepEqual(rectsOfRange(2, 2), [])
  assert.deepEqual(rectsOfRange(6, 1), rects)
})

test('an empty text has one stop, where reading begins', () => {
  const { stops } = flow({ text: '', align: 'center' })
  assert.deepEqual(indexes(stops), [0])
  near(stops[0]?.xPt ?? 0, mmToPt(80) / 2)
})
