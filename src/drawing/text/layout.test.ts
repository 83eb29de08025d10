import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCanvas, GlobalFonts } from '@napi-rs/canvas'
import type { TextLayer } from '../document.ts'
import { drawText } from '../draw/draw-text.ts'
import { fonts, installed, textLayer } from '../factory.ts'
import { mmToPt } from '../shapes/units.ts'
import { MAX_LINES } from './fill-lines.ts'
import { layoutText, type PositionedRun } from './layout.ts'

const LATIN = 'Hello, AVATAR office. Zażółć gęślą jaźń — “quoted” 12×34 -> fi ffl; Ελληνικά, Кириллица.'
const ARABIC = 'مرحبا بالعالم، لا إله (Platen 2026) نص عربي طويل ١٢٣'
const DEVANAGARI = 'नमस्ते दुनिया, क्षत्रिय हिन्दी पाठ। १२३'

const SAMPLES: Record<string, Partial<TextLayer>> = {
  latin: { text: LATIN },
  'latin, bold': { text: LATIN, fontWeight: 700 },
  'latin, italic': { text: LATIN, fontStyle: 'italic' },
  'latin, justified': { text: LATIN, align: 'justify', fontWeight: 700 },
  'latin, spaced': { text: LATIN, letterSpacing: 0.12 },
  'latin, tightened': { text: LATIN, letterSpacing: -0.05 },
  arabic: { text: ARABIC, fontFamily: 'Noto Sans Arabic' },
  'arabic, spaced': { text: ARABIC, fontFamily: 'Noto Sans Arabic', letterSpacing: 0.2 },
  'arabic, justified': { text: ARABIC.repeat(2), align: 'justify' },
  devanagari: { text: DEVANAGARI },
  'devanagari, spaced': { text: DEVANAGARI, fontFamily: 'Noto Sans Devanagari', letterSpacing: 0.1 },
  mixed: { text: `${LATIN} ${ARABIC} ${DEVANAGARI}` },
}

// Skia draws with the same files: where its widths differ, text would not end where preflight says it does.
for (const [name, fields] of Object.entries(SAMPLES)) {
  test(`runs are as wide as Skia draws them: ${name}`, () => {
    for (const fontSizePt of [4, 7.3, 12, 33.33]) {
      const layer = textLayer({ ...fields, width: 60, height: 60, fontSizePt })
      const runs = layoutText(layer, fonts).lines.flatMap((line) => line.runs)
      const drawn = drawnRuns(layer)
      assert.equal(drawn.length, runs.length)
      for (const [i, { text, widthPt, face }] of runs.entries()) {
        assert.equal(drawn[i]?.text, text)
        assert.ok(face !== undefined, `${text} has a face`)
        assert.ok(Math.abs((drawn[i]?.widthPt ?? 0) - widthPt) < 0.01, `${text}: ${drawn[i]?.widthPt} and ${widthPt}`)
      }
    }
  })
}

/** What drawing asks Skia to draw, measured by Skia in the state it is asked in. */
function drawnRuns(layer: TextLayer): { text: string; widthPt: number }[] {
  for (const { face } of runsOf(layer)) if (face !== undefined) registerOnce(face)
  const ctx = createCanvas(10, 10).getContext('2d')
  const drawn: { text: string; widthPt: number }[] = []
  ctx.fillText = (text: string) => {
    drawn.push({ text, widthPt: (ctx.measureText(text).width * layer.fontSizePt) / 100 })
  }
  drawText(ctx as never, layer, fonts)
  return drawn
}

function registerOnce(face: NonNullable<PositionedRun['face']>): void {
  if (!GlobalFonts.has(face.alias)) GlobalFonts.register(Buffer.from(installed.fileOf(face)), face.alias)
}

function runsOf(layer: TextLayer): PositionedRun[] {
  return layoutText(layer, fonts).lines.flatMap((line) => line.runs)
}

function linesOf(fields: Partial<TextLayer>): string[] {
  const { lines } = layoutText(textLayer(fields), fonts)
  return lines.map(({ runs }) => runs.map(({ text }) => text).join(''))
}

test('wraps between words and leaves the blanks at line ends out', () => {
  assert.deepEqual(linesOf({ text: 'one two three', width: 18 }), ['one two', 'three'])
  assert.deepEqual(linesOf({ text: 'one two  three', width: 18 }), ['one two', 'three'])
})

test('keeps explicit line ends of every kind, and empty lines', () => {
  assert.deepEqual(linesOf({ text: 'a\nb\r\nc\rd\u2028e\n\nf' }), ['a', 'b', 'c', 'd', 'e', '', 'f'])
  assert.deepEqual(linesOf({ text: '' }), [''])
})

test('cuts a word that is wider than the box between graphemes, never inside one', () => {
  const lines = linesOf({ text: 'e\u0301'.repeat(12), width: 8 })
  assert.ok(lines.length > 1)
  assert.equal(lines.join(''), 'é'.repeat(12))
})

test('gives a grapheme that is wider than the box a line of its own', () => {
  assert.deepEqual(linesOf({ text: 'WM', width: 1 }), ['W', 'M'])
})

test('breaks Chinese and Japanese without blanks, but not before closing punctuation', () => {
  const lines = linesOf({ text: '日本語のテキスト。', width: 12 })
  assert.ok(lines.length > 2)
  assert.ok(lines.every((line) => !line.startsWith('。')))
})

test('keeps no-break spaces together', () => {
  assert.deepEqual(linesOf({ text: 'aaaa 10\u00a0000\u00a0km', width: 26 }), ['aaaa', '10\u00a0000\u00a0km'])
})

test('orders right-to-left words from right to left, with numbers and Latin inside left to right', () => {
  const [line] = layoutText(textLayer({ text: 'אבג 123 abc', width: 80, fontFamily: 'Inter' }), fonts).lines
  const texts = line?.runs.map(({ text }) => text.trim()).filter((text) => text !== '') ?? []
  assert.equal(texts.at(-1), 'אבג')
  const arabic = layoutText(textLayer({ text: 'مرحبا 2026 بكم', width: 80 }), fonts).lines[0]?.runs ?? []
  assert.deepEqual(
    arabic.map(({ text, direction }) => [text.trim(), direction]).filter(([text]) => text !== ''),
    [
      ['بكم', 'rtl'],
      ['2026', 'ltr'],
      ['مرحبا', 'rtl'],
    ],
  )
  const xs = arabic.map(({ xPt }) => xPt)
  assert.deepEqual(
    xs,
    [...xs].sort((a, b) => a - b),
  )
})

test('a direction override cannot reverse letters that would then be drawn in another order than laid out', () => {
  for (const { text, direction } of runsOf(textLayer({ text: 'x \u202eabc' }))) {
    if (/[a-z]/.test(text)) assert.equal(direction, 'ltr')
  }
})

test('aligns lines by their visible width', () => {
  const widthPt = mmToPt(40)
  for (const letterSpacing of [0, 0.3]) {
    const at = (align: TextLayer['align']) => layoutText(textLayer({ align, letterSpacing }), fonts).lines[0]
    const natural = at('left')?.widthPt ?? 0
    assert.equal(at('left')?.xPt, 0)
    assert.equal(at('center')?.xPt, (widthPt - natural) / 2)
    assert.equal(at('right')?.xPt, widthPt - natural)
  }
  const spaced = layoutText(textLayer({ text: 'AB', letterSpacing: 1 }), fonts).lines[0]?.widthPt ?? 0
  const plain = layoutText(textLayer({ text: 'AB' }), fonts).lines[0]?.widthPt ?? 0
  // One gap between two letters; kerning between them is kept.
  assert.ok(Math.abs(spaced - plain - 12) < 1e-9, `${spaced} and ${plain}`)
})

test('justified lines reach both edges, the last line of a paragraph does not', () => {
  const layer = textLayer({ text: `${LATIN}\n${LATIN}`, align: 'justify', width: 60 })
  const { lines } = layoutText(layer, fonts)
  const widthPt = mmToPt(60)
  const full = lines.filter((line) => Math.abs(line.widthPt - widthPt) < 1e-6)
  assert.equal(full.length, lines.length - 2)
  for (const line of full) {
    const last = line.runs.at(-1)
    assert.ok(Math.abs((last?.xPt ?? 0) + (last?.widthPt ?? 0) - widthPt) < 1e-6)
  }
})

test('the last line of a justified right-to-left paragraph stays at the right', () => {
  const { lines } = layoutText(textLayer({ text: ARABIC, align: 'justify', width: 50, fontSizePt: 14 }), fonts)
  const last = lines.at(-1)
  assert.ok(lines.length > 1)
  assert.ok(Math.abs((last?.xPt ?? 0) + (last?.widthPt ?? 0) - mmToPt(50)) < 1e-6)
})

test('places lines by line height and vertical alignment', () => {
  const tops = (verticalAlign: TextLayer['verticalAlign']) =>
    layoutText(textLayer({ text: 'a\nb', verticalAlign, fontSizePt: 10, lineHeight: 1.5 }), fonts).lines.map(
      ({ topPt }) => topPt,
    )
  const boxPt = mmToPt(30)
  assert.deepEqual(tops('top'), [0, 15])
  assert.deepEqual(tops('middle'), [(boxPt - 30) / 2, (boxPt - 30) / 2 + 15])
  assert.deepEqual(tops('bottom'), [boxPt - 30, boxPt - 30 + 15])
})

test('takes characters the family lacks from the other families, and names those that none has', () => {
  const layout = layoutText(textLayer({ text: 'Hi नमस्ते 日本 日', width: 80 }), fonts)
  assert.deepEqual(
    new Set(layout.lines.flatMap(({ runs }) => runs.map(({ face }) => face?.family))),
    new Set(['Inter', 'Noto Sans Devanagari', undefined]),
  )
  assert.deepEqual(layout.missing, ['日', '本'])
  assert.equal(layout.familyKnown, true)
})

test('joiners, soft hyphens and controls need no glyph', () => {
  const { missing, lines } = layoutText(textLayer({ text: 'a\u200db\u00adc\u2060d\u0001\ufe0f' }), fonts)
  assert.deepEqual(missing, [])
  assert.equal(lines[0]?.widthPt, layoutText(textLayer({ text: 'abcd' }), fonts).lines[0]?.widthPt)
})

// Inter's bold comma moves closer to a blank that follows it, and back where the line ends and the blank is gone.
test('a line that is only as narrow as its share of the paragraph ends earlier', () => {
  const bold = { fontWeight: 700, fontSizePt: 12, height: 40 }
  const alone = layoutText(textLayer({ ...bold, text: 'one, two,', width: 90 }), fonts).widthPt
  const width = Math.floor((alone - 0.1) * (25.4 / 72) * 1000) / 1000
  assert.deepEqual(linesOf({ ...bold, text: 'one, two, three', width })[0], 'one,')
})

test('a long text in a hair-thin box is broken into a bounded number of lines, and nothing is lost', () => {
  const text = 'مرحبا ab '.repeat(1_100)
  const lines = linesOf({ text, width: 0.001 })
  assert.equal(lines.length, MAX_LINES)
  assert.equal(lines.join('').replaceAll(' ', '').length, text.replaceAll(' ', '').length)
})
