import type { CheckContext } from '../../checks/context.ts'
import type { Finding } from '../../checks/issue.ts'
import type { TextLayer } from '../../document/text-layer.ts'
import { EPSILON_MM, ptToMm, shown } from '../../shapes/units.ts'
import type { TextLayout } from '../../text/layout.ts'
import { fits, layoutOf, movedTextToSafety, refitted, SMALL_PT, withFittingBox, withFittingSize } from './fit-text.ts'

const UNREADABLE_PT = 4

/** Checks fonts, glyphs, size and fit of a text with its layout. */
export function checkText(layer: TextLayer, layout: TextLayout, context: CheckContext): Finding[] {
  return [
    ...checkFamily(layer, layout, context),
    ...checkGlyphs(layout),
    ...checkSize(layer, context),
    ...checkOverflow(layer, layout, context),
  ]
}

function checkFamily(layer: TextLayer, layout: TextLayout, { fonts }: CheckContext): Finding[] {
  if (layout.familyKnown) return []
  const message = `The font family "${layer.fontFamily}" is not installed.`
  // The layout already uses this family in place of the unknown family, so this fix moves nothing.
  const remedies = () => fonts.families.slice(0, 1).map(({ family }): TextLayer => ({ ...layer, fontFamily: family }))
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

function checkSize(layer: TextLayer, context: CheckContext): Finding[] {
  const { fontSizePt } = layer
  if (fontSizePt >= SMALL_PT) return []
  const severity = fontSizePt < UNREADABLE_PT ? 'error' : 'warning'
  const limit = severity === 'error' ? UNREADABLE_PT : SMALL_PT
  const message = `Text of ${shown(fontSizePt, 3)} pt is ${severity === 'error' ? 'too small to print' : 'hard to read'}; use ${SMALL_PT} pt or more.`
  const remedies = () => enlargedText({ ...layer, fontSizePt: SMALL_PT }, context)
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

function checkOverflow(layer: TextLayer, layout: TextLayout, context: CheckContext): Finding[] {
  if (fits(layer, layout)) return []
  const width = ptToMm(layout.widthPt)
  const height = ptToMm(layout.heightPt)
  const tooWide = width > layer.width + EPSILON_MM
  const measured = tooWide ? width : height
  const limit = tooWide ? layer.width : layer.height
  const message = `The text is ${shown(measured, 3)} mm ${tooWide ? 'wide' : 'high'}, but its box only ${shown(limit)} mm.`
  const remedies = () => containedText(layer, layout, context)
  return [{ code: 'text_overflow', severity: 'error', field: '', message, measured, limit, unit: 'mm', remedies }]
}

function* enlargedText(enlarged: TextLayer, context: CheckContext): Iterable<TextLayer> {
  yield enlarged
  const boxed = withFittingBox(enlarged, layoutOf(enlarged, context))
  yield boxed
  yield* movedTextToSafety(boxed, context)
  yield* refitted(enlarged, context)
}

function* containedText(layer: TextLayer, layout: TextLayout, context: CheckContext): Iterable<TextLayer> {
  const boxed = withFittingBox(layer, layout)
  yield boxed
  yield* movedTextToSafety(boxed, context)
  const smaller = withFittingSize(layer, context)
  if (smaller !== undefined) yield smaller
  yield* refitted(layer, context)
}
