import type { DOMMatrix, SKRSContext2D } from '@napi-rs/canvas'
import type { DrawGroup } from '../../drawing/engine.ts'

/** A run of text that was drawn, with the transform from the run to the canvas of the page. */
export type DrawnText = {
  text: string
  transform: readonly number[]
  /**
   * The clusters of a right-to-left run: for each glyph, from left to right, the offset of its characters in the text.
   * Undefined for left-to-right text.
   */
  clusters: readonly number[] | undefined
  /**
   * The group that contains the text: its position in the drawing order of the page. Undefined for text outside groups.
   */
  group?: number
}

export type GlyphClusters = (alias: string, text: string, spaced: boolean) => readonly number[]

/**
 * Records each run of text that is drawn on the canvas of a page. To record text in groups too, draw the groups with
 * the returned `group`.
 */
export function recordTexts(
  page: SKRSContext2D,
  glyphClusters: GlyphClusters,
  drawGroup: DrawGroup,
): { texts: DrawnText[]; group: DrawGroup } {
  const texts: DrawnText[] = []
  const record = (context: SKRSContext2D, place: () => DOMMatrix, group: { group?: number }) => {
    const fillText = context.fillText
    context.fillText = (text, x, y) => {
      const { a, b, c, d, e, f } = place()
      const alias = /px "?([^"]+)"?$/.exec(context.font)?.[1] ?? ''
      const spaced = Number.parseFloat(context.letterSpacing) !== 0
      const clusters = context.direction === 'rtl' ? glyphClusters(alias, text, spaced) : undefined
      texts.push({ text, transform: [a, b, c, d, e, f], clusters, ...group })
      fillText.call(context, text, x, y)
    }
  }
  record(page, () => page.getTransform(), {})
  let groups = 0
  const group: DrawGroup = (outer, bounds, draw) => {
    const number = groups++
    drawGroup(outer, bounds, (within) => {
      const context = within as unknown as SKRSContext2D
      // A group is drawn on a canvas of its own, so its transform must be mapped to the page.
      const toPage = (outer as unknown as SKRSContext2D).getTransform().multiply(context.getTransform().inverse())
      record(context, () => toPage.multiply(context.getTransform()), { group: number })
      draw(within)
    })
  }
  return { texts, group }
}

/** A form XObject that a page draws, with its translation. */
export interface DrawnForm {
  name: string
  x: number
  y: number
}

/**
 * Finds the forms in the content of a page, in order. Skia creates a form for each group, and places forms only by
 * translation.
 */
export function formsDrawn(content: string): DrawnForm[] {
  const forms: DrawnForm[] = []
  let moved: number[] = []
  for (const line of content.split('\n')) {
    if (line.endsWith(' cm')) moved = line.split(' ').slice(0, 6).map(Number)
    const name = /^\/(\S+) Do$/.exec(line)?.[1]
    if (name !== undefined) forms.push({ name, x: moved[4] ?? 0, y: moved[5] ?? 0 })
  }
  return forms
}

/**
 * Adds the text of each run to a form that Skia created for a group. Forms are in the order of their groups, but an
 * empty group has no form. The function therefore finds the group by the positions of its texts.
 *
 * @param groups the texts of all groups that have no form so far. The function removes the group of this form and the
 * groups before it
 */
export function addGroupText(content: string, { x, y }: Pick<DrawnForm, 'x' | 'y'>, groups: DrawnText[][]): string {
  if (!content.includes('\nBT\n')) return content
  for (const [index, texts] of groups.entries()) {
    const placed = texts.map((text) => ({ ...text, transform: moveBack(text.transform, x, y) }))
    const marked = addActualText(content, placed, GROUP_TOLERANCE)
    if (marked === content) continue
    groups.splice(0, index + 1)
    return marked
  }
  return content
}

function moveBack([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: readonly number[], x: number, y: number): number[] {
  return [a, b, c, d, e - x, f - y]
}

/**
 * Adds the text of each run to the content stream of a page (ActualText, ISO 32000-1, section 14.9.4). Skia maps only
 * single glyphs to characters. Without ActualText, readers could not search or copy conjuncts and reordered vowels of
 * Devanagari, or Arabic letters that consist of a base and dots.
 *
 * A text object (BT to ET) belongs to the run with the same transform. Further text objects up to the end of the
 * graphics state belong to the same run, because Skia splits runs at some blanks. A text object without a run stays
 * unchanged.
 */
export function addActualText(content: string, texts: readonly DrawnText[], tolerance = TOLERANCE): string {
  const lines = content.split('\n')
  const marked: string[] = []
  let next = 0
  let transform: number[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (line.endsWith(' cm')) transform = line.split(' ').slice(0, 6).map(Number)
    const found =
      line === 'BT' ? texts.findIndex((text, i) => i >= next && isNear(text.transform, transform, tolerance)) : -1
    const text = texts[found]
    if (text === undefined) {
      marked.push(line)
      continue
    }
    next = found + 1
    const restored = lines.indexOf('Q', at)
    const end = lines.lastIndexOf('ET', restored === -1 ? lines.length : restored)
    marked.push(...markTextObjects(lines.slice(at, end + 1), text))
    at = end
  }
  return marked.join('\n')
}

function markTextObjects(lines: string[], { text, clusters }: DrawnText): string[] {
  if (clusters === undefined) return [beginSpan(text), ...lines, 'EMC']
  const glyphs = lines.reduce((count, line) => count + glyphsIn(line).length, 0)
  return glyphs === clusters.length ? markClusters(lines, text, clusters) : lines
}

/**
 * Marks each cluster separately, in page order. Readers reorder right-to-left text from page order into reading order,
 * and also reorder ActualText.
 */
function markClusters(lines: string[], text: string, clusters: readonly number[]): string[] {
  const starts = [...new Set(clusters)].sort((a, b) => a - b)
  const marked: string[] = []
  let glyph = 0
  let isOpen = false
  for (const line of lines) {
    const move = /^(.* Td )?</.exec(line)?.[1]
    if (move !== undefined) marked.push(move.trimEnd())
    const glyphs = glyphsIn(line)
    if (glyphs.length === 0) {
      // A span must end in the text object in which it began.
      if (line === 'ET' && isOpen) marked.push('EMC')
      isOpen &&= line !== 'ET'
      marked.push(line)
    }
    for (const code of glyphs) {
      const start = clusters[glyph] ?? 0
      const continues = glyph > 0 && start === clusters[glyph - 1]
      if (!isOpen || !continues) {
        if (isOpen) marked.push('EMC')
        marked.push(beginSpan(continues ? '' : text.slice(start, starts[starts.indexOf(start) + 1])))
        isOpen = true
      }
      marked.push(`<${code}> Tj`)
      glyph += 1
    }
  }
  return marked
}

/** Returns the glyph codes in a line of content that Skia wrote. Each code has four hexadecimal digits. */
function glyphsIn(line: string): string[] {
  const shown = /<([0-9a-fA-F]*)> Tj$/.exec(line)?.[1]
  return shown?.match(/.{4}/g) ?? []
}

// The tolerances for comparing transforms. Skia writes its 32-bit numbers with about eight digits. Scaling a group down
// and up loses some of this precision.
const TOLERANCE = 1e-3
const GROUP_TOLERANCE = 2e-2

function isNear(a: readonly number[], b: readonly number[], tolerance: number): boolean {
  return a.every((value, index) => Math.abs(value - (b[index] ?? Number.NaN)) < tolerance)
}

/**
 * Writes the operator that begins a span with the text as ActualText. The text is a hexadecimal string of UTF-16 with a
 * byte order mark (ISO 32000-1, section 7.9.2.2).
 */
function beginSpan(text: string): string {
  return `/Span <</ActualText <feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>>> BDC`
}
