import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextLayer } from '../../document/text-layer.ts'
import { printedGlyphs, shapedGlyphs } from '../../draw/printed-glyphs.fixture.ts'
import { fonts, textLayer } from '../../factory.ts'
import { layoutText } from '../../text/layout.ts'

const LATIN = 'Hello, AVATAR office. Zażółć gęślą jaźń — “quoted” 12×34 -> fi ffl; Ελληνικά, Кириллица.'
const ARABIC = 'مرحبا بالعالم، لا إله (Platen 2026) نص عربي طويل ١٢٣'
const HEBREW = 'שלום עולם! בְּרֵאשִׁית (Platen 2026), 12%'
const DEVANAGARI = 'नमस्ते दुनिया, क्षत्रिय हिन्दी पाठ। १२३'
const JAPANESE = '「カタログ」アーアク、トヨタ。（東京）ー2026年、ABCの漢字！'
const ODD = 'V\u0302 a\u2009b\u202fc\u2003d e\u00adf g\u200bh i\u2060j x\u200dy k\ufe0f \u0301 आैर एेसा'

const SAMPLES: Record<string, Partial<TextLayer>> = {
  latin: { text: LATIN },
  'latin, justified': { text: LATIN, align: 'justify' },
  'latin, spaced': { text: LATIN, letterSpacing: 0.12 },
  'latin, tightened': { text: LATIN, letterSpacing: -0.05 },
  arabic: { text: ARABIC },
  'arabic, spaced and justified': { text: ARABIC, letterSpacing: 0.2, align: 'justify' },
  hebrew: { text: HEBREW },
  'hebrew, spaced': { text: HEBREW, letterSpacing: 0.1 },
  devanagari: { text: DEVANAGARI },
  'devanagari, spaced': { text: DEVANAGARI, letterSpacing: 0.1 },
  japanese: { text: JAPANESE },
  'japanese, spaced': { text: JAPANESE, letterSpacing: 0.1 },
  'japanese, justified': { text: JAPANESE.repeat(2), align: 'justify' },
  'rare blanks, joiners and marks': { text: ODD },
  'rare ones in Hebrew and Latin, spaced': { text: 'x\u200dy \u0301b א \u05b7ב k\u200ck', letterSpacing: 0.1 },
}
const SIZES = [4, 7.3, 12, 33.33, 400]

// Skia draws with the same files, but has its own HarfBuzz and splits texts as browsers do. If Skia placed a glyph
// differently, texts would end or break at other places in print than in preflight.
for (const { family } of fonts.families) {
  test(`each glyph is printed at the position of its layout, in ${family}`, () => {
    for (const [index, [name, fields]] of Object.entries(SAMPLES).entries()) {
      const fontSizePt = SIZES[index % SIZES.length] ?? 12
      const style = {
        fontWeight: index % 2 === 0 ? 400 : 700,
        fontStyle: index % 3 === 2 ? 'italic' : 'normal',
      } as const
      const side = Math.min(600, 6 * fontSizePt)
      assertInPlace(textLayer({ ...fields, ...style, fontFamily: family, fontSizePt, width: side, height: side }), name)
    }
  })
}

function assertInPlace(layer: TextLayer, name: string): void {
  const { missing, lines } = layoutText(layer, fonts)
  assert.deepEqual(missing, [], name)
  const runs = lines.flatMap((line) => line.runs)
  const printed = printedGlyphs(layer)
  assert.equal(printed.length, runs.length, name)
  for (const [i, { text, face, direction, letterSpacingEm, widthPt }] of runs.entries()) {
    assert.ok(face !== undefined, text)
    const { glyphs, width } = shapedGlyphs(face, text, direction, letterSpacingEm)
    assert.ok(Math.abs((width * layer.fontSizePt) / 100 - widthPt) < 1e-6, `${name}: the width of ${text}`)
    // Blanks of a right-to-left text may be drawn in another order, which is invisible.
    if (text.trim() === '') continue
    const there = printed[i]?.glyphs ?? []
    assert.deepEqual(
      there.map(({ id }) => id),
      glyphs.map(({ id }) => id),
      `${name}: the glyphs of ${text}`,
    )
    for (const [g, { x, y }] of glyphs.entries()) {
      const off = Math.hypot((there[g]?.x ?? Number.NaN) - x, (there[g]?.y ?? Number.NaN) - y)
      assert.ok(off < 0.01, `${name}: glyph ${g} of ${text} is ${off} hundredths of an em off`)
    }
  }
}

test('a character that no font has is drawn as a box, without a font of the computer', () => {
  const layer = textLayer({ text: 'a\u{1f600}\u{378}b', width: 80 })
  assert.deepEqual(
    printedGlyphs(layer).map(({ text }) => text),
    ['a', 'b'],
  )
  const boxes = layoutText(layer, fonts).lines.flatMap(({ runs }) => runs.filter(({ face }) => face === undefined))
  assert.deepEqual(
    boxes.map(({ text }) => text),
    ['\u{1f600}', '\u{378}'],
  )
})
