import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { createCanvas, GlobalFonts } from '@napi-rs/canvas'
import { createFontBook, drawPrintArea } from '../../drawing/engine.ts'
import { postcard, text } from '../factory.ts'
import { makeFont } from './factory.ts'

/** Writes a table `kern` in format 0 that moves the glyphs of each pair by -300 units. */
function kernTable(pairs: readonly (readonly [left: number, right: number])[]): Buffer {
  const head = [0, 1, 0, 14 + 6 * pairs.length, 1, pairs.length, 0, 0, 0]
  const rows = pairs.toSorted(([a, b], [c, d]) => a - c || b - d).map(([left, right]) => [left, right, 0x10000 - 300])
  return Buffer.from(Uint16Array.from([...head, ...rows.flat()]).buffer).swap16()
}

// The HarfBuzz in Skia reads the table "kern", and the HarfBuzz that layout uses does not.
test('a font with kerning only in the old table "kern" is drawn as wide as its layout', async () => {
  const bytes = await makeFont({
    edit(tables) {
      tables.delete('GPOS')
      const glyphs = Array.from({ length: 300 }, (_, glyph) => glyph)
      tables.set('kern', kernTable(glyphs.slice(1).map((glyph) => [2, glyph])))
    },
  })
  const sha256 = hash('sha256', bytes)
  const file = { family: 'Old', weight: 400, style: 'normal', scripts: [], ranges: [[0, 0xffff]] } as const
  const fonts = createFontBook([{ ...file, load: () => ({ bytes, sha256 }) }])
  const [face] = fonts.facesFor({ family: 'Old', weight: 400, style: 'normal' })
  assert.ok(face !== undefined && GlobalFonts.register(bytes, face.alias) !== null)
  const context = createCanvas(1, 1).getContext('2d')
  const widths: number[] = []
  context.fillText = (shown) => widths.push(context.measureText(shown).width)

  const { document, printAreas } = postcard({ front: [text('AVAVA', { y: 20, fontFamily: 'Old' })] })
  const [printArea] = printAreas
  assert.ok(printArea !== undefined)
  drawPrintArea(context as never, { document, printArea, fonts, images: new Map(), box: 'trim' })
  const laidOut = fonts.shape({ face, text: 'AVAVA', direction: 'ltr', spaced: false }).width * 100
  assert.ok(Math.abs((widths[0] ?? 0) - laidOut) < 0.01, `${widths[0]} and ${laidOut}`)
  // If the canvas applied the kerning of the table, the text would be narrower.
  context.fontKerning = 'normal'
  assert.ok(context.measureText('AVAVA').width < laidOut - 10)
})
