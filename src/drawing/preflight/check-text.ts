import { ptToMm } from '../shapes/units.ts'
import { layoutText, type TextLayout } from '../text/layout.ts'
import { type CheckContext, ceilMm, EPSILON_MM, type LayerOf, shown } from './context.ts'
import type { Change, Finding } from './issue.ts'

type Text = LayerOf<'text'>

const SMALL_PT = 7
const UNREADABLE_PT = 4

/** Fonts, glyphs, size and fit of a text; `layout` is the layer's own. */
export function checkText(layer: Text, layout: TextLayout, context: CheckContext): Finding[] {
  return [
    ...checkFamily(layer, layout, context),
    ...checkGlyphs(layout),
    ...checkSize(layer, context),
    ...checkOverflow(layer, layout, context),
  ]
}

function checkFamily(layer: Text, layout: TextLayout, { fonts }: CheckContext): Finding[] {
  if (layout.familyKnown) return []
  const message = `The font family "${layer.fontFamily}" is not installed.`
  const remedies = () => fonts.families.map(({ family }): Change[] => [{ field: 'fontFamily', value: family }])
  return [{ code: 'font_unknown', severity: 'error', field: 'fontFamily', message, remedies }]
}

const NAMED_CHARACTERS = 10

function checkGlyphs({ missing }: TextLayout): Finding[] {
  if (missing.length === 0) return []
  const named = missing.slice(0, NAMED_CHARACTERS).map((character) => `${character} (${codePointsOf(character)})`)
  const more = missing.length > NAMED_CHARACTERS ? ` and ${missing.length - NAMED_CHARACTERS} more` : ''
  const message = `No installed font has ${named.join(', ')}${more}.`
  return [{ code: 'glyphs_missing', severity: 'error', field: 'text', message, measured: missing.length, limit: 0 }]
}

function codePointsOf(character: string): string {
  return Array.from(character, (c) => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`).join(
    ' ',
  )
}

function checkSize(layer: Text, context: CheckContext): Finding[] {
  const { fontSizePt } = layer
  if (fontSizePt >= SMALL_PT) return []
  const severity = fontSizePt < UNREADABLE_PT ? 'error' : 'warning'
  const limit = severity === 'error' ? UNREADABLE_PT : SMALL_PT
  const message = `Text of ${shown(fontSizePt)} pt is ${severity === 'error' ? 'too small to print' : 'hard to read'}; use ${SMALL_PT} pt or more.`
  const remedies = () => {
    const enlarge: Change = { field: 'fontSizePt', value: SMALL_PT }
    const enlarged = { ...layer, fontSizePt: SMALL_PT }
    return [[enlarge], [enlarge, ...fittingBox(enlarged, layoutText(enlarged, context.fonts))]]
  }
  return [
    {
      code: 'text_too_small',
      severity,
      field: 'fontSizePt',
      message,
      measured: fontSizePt,
      limit,
      unit: 'pt',
      remedies,
    },
  ]
}

function checkOverflow(layer: Text, layout: TextLayout, context: CheckContext): Finding[] {
  if (fits(layer, layout)) return []
  const width = ptToMm(layout.widthPt)
  const height = ptToMm(layout.heightPt)
  const tooWide = width > layer.width + EPSILON_MM
  const measured = tooWide ? width : height
  const limit = tooWide ? layer.width : layer.height
  const message = `The text is ${shown(measured)} mm ${tooWide ? 'wide' : 'high'}, its box ${shown(limit)} mm.`
  const remedies = () => [fittingBox(layer, layout), ...fittingSizes(layer, context)]
  return [{ code: 'text_overflow', severity: 'error', field: '', message, measured, limit, unit: 'mm', remedies }]
}

function fits(layer: Text, { widthPt, heightPt, lines }: TextLayout): boolean {
  // A text without anything to draw cannot stick out, however low its box.
  if (lines.every(({ runs }) => runs.length === 0)) return true
  return ptToMm(widthPt) <= layer.width + EPSILON_MM && ptToMm(heightPt) <= layer.height + EPSILON_MM
}

/** Changes that make the box as large as its text, growing away from the side the text is aligned to. */
function fittingBox(layer: Text, layout: TextLayout): Change[] {
  const changes: Change[] = []
  const extraWidth = ceilMm(ptToMm(layout.widthPt)) - layer.width
  const extraHeight = ceilMm(ptToMm(layout.heightPt)) - layer.height
  if (extraWidth > 0) {
    changes.push({ field: 'width', value: ceilMm(layer.width + extraWidth) })
    const share = { left: 0, justify: 0, center: 0.5, right: 1 }[layer.align]
    if (share > 0) changes.push({ field: 'x', value: ceilMm(layer.x - share * extraWidth) })
  }
  if (extraHeight > 0) {
    changes.push({ field: 'height', value: ceilMm(layer.height + extraHeight) })
    const share = { top: 0, middle: 0.5, bottom: 1 }[layer.verticalAlign]
    if (share > 0) changes.push({ field: 'y', value: ceilMm(layer.y - share * extraHeight) })
  }
  return changes
}

// Finding a size lays the text out several times, which is too slow for a book's page.
const RESIZED_TEXT_LENGTH = 2_000

// The largest size, in tenths of a point, at which the text fits and is not too small.
function fittingSizes(layer: Text, { fonts }: CheckContext): Change[][] {
  if (layer.text.length > RESIZED_TEXT_LENGTH) return []
  const fitsAt = (tenths: number) => {
    const resized = { ...layer, fontSizePt: tenths / 10 }
    return fits(resized, layoutText(resized, fonts))
  }
  let low = SMALL_PT * 10
  let high = Math.ceil(layer.fontSizePt * 10) - 1
  if (high < low || !fitsAt(low)) return []
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fitsAt(middle)) low = middle
    else high = middle - 1
  }
  return [[{ field: 'fontSizePt', value: low / 10 }]]
}
