import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextLayer } from '../document/text-layer.ts'
import { fonts, textLayer } from '../factory.ts'
import { mmToPt } from '../shapes/units.ts'
import { MAX_LINES } from './fill-lines.ts'
import { layoutText } from './layout.ts'
import type { PositionedRun } from './place-line.ts'

const LATIN = 'Hello, AVATAR office. Zażółć gęślą jaźń — “quoted” 12×34 -> fi ffl; Ελληνικά, Кириллица.'
const ARABIC = 'مرحبا بالعالم، لا إله (Platen 2026) نص عربي طويل ١٢٣'

function runsOf(layer: TextLayer): PositionedRun[] {
  return layoutText(layer, fonts).lines.flatMap((line) => line.runs)
}

function linesOf(fields: Partial<TextLayer>): string[] {
  const { lines } = layoutText(textLayer(fields), fonts)
  return lines.map(({ runs }) => runs.map(({ text }) => text).join(''))
}

test('breaks lines between words and removes blanks at line ends', () => {
  assert.deepEqual(linesOf({ text: 'one two three', width: 18 }), ['one two', 'three'])
  assert.deepEqual(linesOf({ text: 'one two  three', width: 18 }), ['one two', 'three'])
})

test('keeps explicit line ends of every kind, and empty lines', () => {
  assert.deepEqual(linesOf({ text: 'a\nb\r\nc\rd\u2028e\n\nf' }), ['a', 'b', 'c', 'd', 'e', '', 'f'])
  assert.deepEqual(linesOf({ text: '' }), [''])
})

test('breaks a word that is wider than the box between graphemes only', () => {
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

test('a direction override cannot reverse letters, which layout and drawing would order differently', () => {
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
  // The widths differ by one gap between two letters, because the kerning of the letters stays the same.
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

test('the last line of a justified right-to-left paragraph is aligned to the right', () => {
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

test('takes missing characters from other families, and lists those that no family has', () => {
  const layout = layoutText(textLayer({ text: 'Hi नमस्ते 日本 한 \u0378 한', width: 80 }), fonts)
  assert.deepEqual(
    new Set(layout.lines.flatMap(({ runs }) => runs.map(({ face }) => face?.family))),
    new Set(['Inter', 'Noto Sans Devanagari', 'Noto Sans JP', undefined]),
  )
  assert.deepEqual(layout.missing, ['한', '\u0378'])
  assert.equal(layout.familyKnown, true)
})

test('emoji are reported as missing and not taken from the computer; variation selectors need no glyph', () => {
  const layout = layoutText(textLayer({ text: 'a 😀 👨‍👩‍👧 🇩🇪 ©\ufe0f 1\ufe0f', width: 80 }), fonts)
  assert.deepEqual(layout.missing, ['😀', '👨‍👩‍👧', '🇩🇪'])
})

test('a mark is placed on its letter even if no file claims both', () => {
  const [line] = layoutText(textLayer({ text: 'm\u0303', width: 40 }), fonts).lines
  assert.deepEqual(
    line?.runs.map(({ text, face }) => [text, face?.family]),
    [['m\u0303', 'Inter']],
  )
})

test('a letter with a mark uses a font that places the mark on the letter, not beside it', () => {
  const faceOf = (text: string, fontFamily: string) =>
    layoutText(textLayer({ text, fontFamily }), fonts).lines[0]?.runs[0]?.face?.family
  assert.equal(faceOf('m\u0303', 'Lora'), 'Noto Serif')
  assert.equal(faceOf('м\u0301', 'Inter'), 'Noto Sans')
  assert.equal(faceOf('x\u0323', 'Inter'), 'Inter')
})

test('a letter that a serif font lacks comes from a serif font', () => {
  for (const fontFamily of ['Lora', 'Playfair Display']) {
    const [line] = layoutText(textLayer({ text: 'Ψ', fontFamily }), fonts).lines
    assert.equal(line?.runs[0]?.face?.family, 'Noto Serif')
  }
})

test('a soft hyphen is visible only at the end of a line', () => {
  const text = 'Donau\u00addampf\u00adschiff\u00adfahrt'
  assert.deepEqual(linesOf({ text, width: 80 }), ['Donaudampfschifffahrt'])
  const lines = linesOf({ text, width: 18 })
  assert.deepEqual(lines, ['Donau-', 'dampf-', 'schiff-', 'fahrt'])
  const layer = textLayer({ text, width: 18, align: 'right' })
  for (const line of layoutText(layer, fonts).lines) assert.ok(line.widthPt <= mmToPt(18) && line.xPt >= 0)
  // If there is no room for the hyphen, the line ends at an earlier place.
  const widthOf = (part: string) => layoutText(textLayer({ text: part, width: 80 }), fonts).widthPt
  const withHyphen = widthOf('Donaudampf') + widthOf('-')
  const roomFor = (widthPt: number) => linesOf({ text, width: Math.ceil((widthPt * 25.4 * 1000) / 72) / 1000 })[0]
  assert.equal(roomFor(withHyphen), 'Donaudampf-')
  assert.equal(roomFor(withHyphen - 1), 'Donau-')
})

test('a soft hyphen does not change the letters beside it', () => {
  for (const [plain, soft] of [
    ['AVA', 'A\u00adV\u00adA'],
    ['سلام', 'سل\u00adام'],
  ] as const) {
    assert.deepEqual(layoutText(textLayer({ text: soft }), fonts), layoutText(textLayer({ text: plain }), fonts))
  }
})

test('a line may end at a zero-width space, which has no width', () => {
  assert.deepEqual(linesOf({ text: 'aaaaaaaa\u200bbbbbbbbb', width: 22 }), ['aaaaaaaa', 'bbbbbbbb'])
  const [wide, plain] = ['ab\u200bcd', 'abcd'].map((text) => layoutText(textLayer({ text }), fonts).widthPt)
  assert.ok(Math.abs((wide ?? 0) - (plain ?? 1)) < 1)
})

test('Han and kana are set in squares, and justified lines of them reach both edges', () => {
  const text = '日本語の「カタログ」、トヨタ。'.repeat(4)
  const layer = textLayer({ text, align: 'justify', width: 40, height: 100, fontSizePt: 11 })
  const { lines } = layoutText(layer, fonts)
  assert.ok(lines.length > 2)
  for (const line of lines.slice(0, -1)) {
    const last = line.runs.at(-1)
    assert.ok(Math.abs((last?.xPt ?? 0) + (last?.widthPt ?? 0) - mmToPt(40)) < 1e-6)
    const steps = line.runs.slice(1).map(({ xPt }, i) => xPt - (line.runs[i]?.xPt ?? 0))
    for (const step of steps) assert.ok(Math.abs(step - (steps[0] ?? 0)) < 1e-6 && step >= 11)
  }
  for (const { runs } of lines) {
    const line = runs.map((run) => run.text).join('')
    assert.doesNotMatch(line, /^[、。」ー]|「$/)
  }
})

test('a tab is as wide as four blanks, and a line may end at it', () => {
  const width = (text: string) => layoutText(textLayer({ text, width: 90 }), fonts).widthPt
  assert.equal(width('a\tb'), width('a    b'))
  assert.deepEqual(linesOf({ text: 'aaaa\tbbbb', width: 15 }), ['aaaa', 'bbbb'])
})

test('brackets and numbers keep their order in a right-to-left paragraph', () => {
  const text = (value: string) =>
    layoutText(textLayer({ text: value, width: 100 }), fonts).lines[0]?.runs.map((run) => run.text)
  assert.deepEqual(text('אבג (123-456) דהו'), ['דהו', ' ', ')', '123-456', '(', ' ', 'אבג'])
  assert.deepEqual(text('abc אבג 12% דה!'), ['abc', ' ', 'דה', ' ', '12%', ' ', 'אבג', '!'])
})

test('letter spacing is added only between letters, in both directions', () => {
  for (const [text, letters] of [
    ['AB', 2],
    ['אבג', 3],
    ['AB CD', 5],
  ] as const) {
    const plain = layoutText(textLayer({ text, letterSpacing: 1e-9 }), fonts).widthPt
    for (const letterSpacing of [0.5, -0.1]) {
      const spaced = layoutText(textLayer({ text, letterSpacing }), fonts).widthPt
      assert.ok(Math.abs(spaced - plain - (letters - 1) * letterSpacing * 12) < 1e-6, `${text} ${letterSpacing}`)
    }
  }
})

test('a line whose width with letter spacing equals the box is not broken', () => {
  for (const letterSpacing of [0.3, -0.1, 0]) {
    const { widthPt } = layoutText(textLayer({ text: 'AB CD', letterSpacing, width: 80 }), fonts)
    const width = Math.ceil((widthPt * 25.4 * 1000) / 72) / 1000
    const again = layoutText(textLayer({ text: 'AB CD', letterSpacing, width }), fonts)
    assert.equal(again.lines.length, 1)
    assert.ok(again.widthPt <= mmToPt(width))
    assert.equal(layoutText(textLayer({ text: 'AB CD', letterSpacing, width: width - 0.01 }), fonts).lines.length, 2)
  }
})

test('an ignorable character that fonts show as a box counts as missing', () => {
  const fillers = ['\u3164', '\uffa0', '\u115f', '\u1160', '\u{1bca0}', '\u{1bca3}']
  for (const filler of fillers)
    assert.deepEqual(layoutText(textLayer({ text: `a ${filler} b` }), fonts).missing, [filler])
})

test('joiners, soft hyphens and controls need no glyph', () => {
  const { missing, lines } = layoutText(textLayer({ text: 'a\u200db\u00adc\u2060d\u0001\ufe0f' }), fonts)
  assert.deepEqual(missing, [])
  assert.equal(lines[0]?.widthPt, layoutText(textLayer({ text: 'abcd' }), fonts).lines[0]?.widthPt)
})

// Kerning moves a hyphen closer to a T that follows it. If the line ends after the hyphen, this kerning does not apply.
test('a line that becomes too wide when it is laid out alone ends earlier', () => {
  const width = (text: string) => layoutText(textLayer({ text, width: 90, fontSizePt: 36 }), fonts).widthPt
  const [share, alone] = [width('on-T') - width('T'), width('on-')]
  assert.ok(share < alone - 1)
  const widthMm = Math.floor((alone - 0.5) * (25.4 / 72) * 1000) / 1000
  assert.equal(linesOf({ text: 'on-Time', width: widthMm, fontSizePt: 36 })[0], 'on')
})

test('a long text in a very narrow box has a bounded number of lines, and keeps all characters', () => {
  const text = 'مرحبا ab '.repeat(1_100)
  const lines = linesOf({ text, width: 0.001 })
  assert.equal(lines.length, MAX_LINES)
  assert.equal(lines.join('').replaceAll(' ', '').length, text.replaceAll(' ', '').length)
})
