import { type FontKey, GlobalFonts, PDFDocument, type SKRSContext2D } from '@napi-rs/canvas'
import * as hb from 'harfbuzzjs'
import type { TextLayer } from '../document/text-layer.ts'
import { fonts, installed } from '../factory.ts'
import { drawText } from '../layers/text/draw-text.ts'
import type { FontFace, TextDirection } from '../text/fonts/font-book.ts'
import { SHAPING_LANGUAGE, scriptFor } from '../text/fonts/shape.ts'
import { isSetSolid } from '../text/unicode/scripts.ts'

/** The position of a glyph from the start of its run, in hundredths of the font size; y points upwards. */
export interface Glyph {
  id: number
  x: number
  y: number
}

const registered = new Map<string, FontKey | null>()

/** Returns the glyphs of each run of a text from the PDF that Skia writes, in drawing order. */
export function printedGlyphs(layer: TextLayer): { text: string; glyphs: Glyph[] }[] {
  const pdf = new PDFDocument({ compressionLevel: 0 })
  const context = pdf.beginPage(PAGE, PAGE) as SKRSContext2D
  // Skia leaves out content beyond the page, so the text starts in the middle of the page.
  context.translate(PAGE / 2, PAGE / 2)
  const texts: { text: string; face: FontFace }[] = []
  const fillText = context.fillText
  context.fillText = (text, x, y) => {
    // The rectangle marks the start of a run: all glyphs until the next rectangle belong to this run.
    context.fillRect(0, 0, 1, 1)
    const face = [...facesInUse.values()].find(({ alias }) => context.font.includes(alias))
    if (face === undefined) throw new Error(`No face has the font ${context.font}`)
    texts.push({ text, face })
    fillText.call(context, text, x, y)
  }
  const facesInUse = new Map<string, FontFace>()
  const registering = {
    ...fonts,
    shape(run: Parameters<typeof fonts.shape>[0]) {
      facesInUse.set(run.face.alias, run.face)
      if (!registered.has(run.face.alias)) {
        registered.set(run.face.alias, GlobalFonts.register(Buffer.from(installed.fileOf(run.face)), run.face.alias))
      }
      return fonts.shape(run)
    },
  }
  drawText(context as never, layer, registering)
  pdf.endPage()
  const content = /stream\r?\n([\s\S]*?)endstream/.exec(pdf.close().toString('latin1'))?.[1] ?? ''
  const parts = content.split(/^0 0 1 1 re$/m).slice(1)
  return texts.map(({ text, face }, i) => ({ text, glyphs: readGlyphs(parts[i] ?? '', face) }))
}

const PAGE = 4_000

/**
 * Reads the operators Tm, Td and Tj as Skia writes them: one operator per line, and four hexadecimal digits per glyph.
 */
function readGlyphs(content: string, face: FontFace): Glyph[] {
  const { font, scale } = openFace(face)
  const glyphs: Glyph[] = []
  let [x, y] = [0, 0]
  for (const line of content.split('\n')) {
    if (line.endsWith(' Tm')) [x, y] = [0, 0]
    const move = /^(\S+) (\S+) Td/.exec(line)
    if (move !== null) [x, y] = [x + Number(move[1]), y + Number(move[2])]
    let advanced = 0
    for (const id of /<([0-9A-Fa-f]*)> Tj$/.exec(line)?.[1]?.match(/.{4}/g) ?? []) {
      const glyph = Number.parseInt(id, 16)
      glyphs.push({ id: glyph, x: x + advanced, y })
      advanced += font.glyphHAdvance(glyph) * scale
    }
  }
  return glyphs
}

const opened = new Map<string, { font: hb.Font; scale: number }>()

function openFace(face: FontFace): { font: hb.Font; scale: number } {
  const known = opened.get(face.sha256)
  if (known !== undefined) return known
  const file = new hb.Face(new hb.Blob(installed.fileOf(face)))
  const entry = { font: new hb.Font(file), scale: 100 / file.upem }
  opened.set(face.sha256, entry)
  return entry
}

/**
 * Returns the glyphs of a run as HarfBuzz positions them, with letter spacing in em after each cluster, and their total
 * width.
 */
export function shapedGlyphs(
  face: FontFace,
  text: string,
  direction: TextDirection,
  letterSpacing: number,
): { glyphs: Glyph[]; width: number } {
  const { font, scale } = openFace(face)
  const buffer = new hb.Buffer()
  buffer.addText(text)
  buffer.setDirection(direction === 'rtl' ? hb.Direction.RTL : hb.Direction.LTR)
  buffer.setLanguage(SHAPING_LANGUAGE)
  const script = scriptFor(text)
  if (script !== undefined) buffer.setScript(script)
  buffer.guessSegmentProperties()
  const off = [...(letterSpacing === 0 ? [] : ['liga', 'clig', 'calt']), ...(isSetSolid(text) ? ['kern'] : [])]
  const features = off.map((tag) => new hb.Feature(tag, 0))
  hb.shape(font, buffer, features)
  const positions = buffer.getGlyphPositions()
  const infos = buffer.getGlyphInfos()
  let x = 0
  const glyphs = infos.map(({ codepoint, cluster }, i) => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[i] ?? {}
    const glyph = { id: codepoint, x: x + xOffset * scale, y: yOffset * scale }
    x += xAdvance * scale
    if (infos[i + 1]?.cluster !== cluster && !/[\u200b-\u200d]/.test(text.charAt(cluster))) x += letterSpacing * 100
    return glyph
  })
  return { glyphs, width: x }
}
