import type { SKRSContext2D } from '@napi-rs/canvas'

/** A run of text that was drawn, with the canvas transform at that moment. */
export type DrawnText = {
  text: string
  transform: readonly number[]
  /** Of right-to-left text: for each glyph, left to right, the offset of the characters it stands for. */
  clusters: readonly number[] | undefined
}

export type GlyphClusters = (alias: string, text: string, spaced: boolean) => readonly number[]

/** Has a page's canvas note each run of text it draws. */
export function recordTexts(context: SKRSContext2D, glyphClusters: GlyphClusters): DrawnText[] {
  const texts: DrawnText[] = []
  const fillText = context.fillText
  context.fillText = (text, x, y) => {
    const { a, b, c, d, e, f } = context.getTransform()
    const alias = /px "?([^"]+)"?$/.exec(context.font)?.[1] ?? ''
    const spaced = Number.parseFloat(context.letterSpacing) !== 0
    const clusters = context.direction === 'rtl' ? glyphClusters(alias, text, spaced) : undefined
    texts.push({ text, transform: [a, b, c, d, e, f], clusters })
    fillText.call(context, text, x, y)
  }
  return texts
}

/**
 * Tells readers, in the content stream of a page, what each run of text says (ActualText, ISO 32000-1, 14.9.4). Skia
 * maps single glyphs to characters only: conjuncts and reordered vowels of Devanagari, and letters of Arabic that are
 * composed of a base and dots, could not be searched or copied.
 *
 * A text object belongs to the run with the same transform, and so do those after it up to the end of the graphics
 * state: Skia splits a run at some blanks. One without a run, should Skia ever join runs, stays as it is.
 */
export function addActualText(content: string, texts: readonly DrawnText[]): string {
  const lines = content.split('\n')
  const marked: string[] = []
  let next = 0
  let transform: number[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (line.endsWith(' cm')) transform = line.split(' ').slice(0, 6).map(Number)
    const found = line === 'BT' ? texts.findIndex((text, i) => i >= next && isNear(text.transform, transform)) : -1
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
 * Readers turn right-to-left text from the order on the page into the order of reading, ActualText included. So each
 * cluster is marked by itself, in the order on the page.
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
      // A span ends in the text object in which it began.
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

/** The glyph codes, of four digits each, that a line of Skia's shows. */
function glyphsIn(line: string): string[] {
  const shown = /<([0-9a-fA-F]*)> Tj$/.exec(line)?.[1]
  return shown?.match(/.{4}/g) ?? []
}

/** Skia writes its 32-bit numbers with about eight digits. */
function isNear(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, index) => Math.abs(value - (b[index] ?? Number.NaN)) < 1e-3)
}

/** Text strings as hex are UTF-16 with a byte order mark (ISO 32000-1, 7.9.2.2). */
function beginSpan(text: string): string {
  return `/Span <</ActualText <feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>>> BDC`
}
