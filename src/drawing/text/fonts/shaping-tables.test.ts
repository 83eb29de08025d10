import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listFontFiles } from '../../../rendering/installed-fonts/installed-fonts.ts'
import { addPrograms, makeFont } from '../../../rendering/user-fonts/factory.ts'
import { hb } from './harfbuzz.ts'
import { shapingTables } from './shaping-tables.ts'

const TEXTS = [
  'Hamburgefonts AVATAR ffi 0123 ½ é',
  'Ёлка Дом',
  'Ελλάδα',
  'مرحبا بالعالم',
  'שלום',
  'नमस्ते दुनिया',
  '日本語の文字',
]

/** Returns all metrics and shaping results that layout reads from a font for the test texts. */
function measure(bytes: Uint8Array): unknown {
  const face = new hb.Face(new hb.Blob(bytes))
  const font = new hb.Font(face)
  const runs = TEXTS.map((text) => {
    const buffer = new hb.Buffer()
    buffer.addText(text)
    buffer.guessSegmentProperties()
    hb.shape(font, buffer, [])
    const infos = buffer.getGlyphInfos()
    return {
      infos,
      positions: buffer.getGlyphPositions(),
      inks: infos.map(({ codepoint }) => font.glyphExtents(codepoint)),
    }
  })
  return { runs, upem: face.upem, extents: font.hExtents(), features: face.getTableFeatureTags('GPOS') }
}

test('every installed family is shaped and measured equally with and without the tables that shaping does not read', () => {
  const files = listFontFiles().filter(({ weight, style }) => weight === 400 && style === 'normal')
  assert.ok(files.length >= 16)
  for (const file of files) {
    const { bytes } = file.load()
    const read = shapingTables(bytes)
    assert.ok(read.length < bytes.length)
    assert.deepEqual(measure(read), measure(bytes), file.family)
  }
})

test('the hints of a font are not passed to shaping', async () => {
  const bytes = await makeFont()
  const hinted = await makeFont({
    edit: (tables) => {
      addPrograms(tables, new Uint8Array(10))
      tables.set('fpgm', new Uint8Array(20_000_000))
    },
  })
  assert.ok(hinted.length > 20_000_000)
  assert.ok(shapingTables(hinted).length < bytes.length + 20_000)
})

test('a file that is not a font, or is truncated, is passed on unchanged', async () => {
  const font = await makeFont()
  for (const length of [0, 4, 12, 100, 1_000]) {
    const bytes = font.subarray(0, length)
    assert.equal(shapingTables(bytes), bytes)
  }
})
