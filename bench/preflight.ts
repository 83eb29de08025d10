import { preflight } from '../src/drawing/engine.ts'
import { type DesignDocument, normalizeDocument, type PrintArea } from '../src/drawing/index.ts'
import { loadFonts } from '../src/rendering/fonts.ts'
import { quantile } from './lib/load.ts'
import { report } from './lib/report.ts'

const LAYERS = 200
const LIMIT_MS = 10
const ROUNDS = 60
/** The first rounds load fonts and compile. */
const WARM_UP = 20

const AREA: PrintArea = {
  id: 'front',
  name: 'Front',
  widthMm: 297,
  heightMm: 420,
  bleedMm: 3,
  safeMarginMm: 5,
  targetDpi: 300,
  required: true,
}

// Some hundred words, as a shop's texts have; others come with each document.
const WORDS =
  `open daily fresh bread and coffee from our own oven every morning we bake with flour of the region come and see us
in the old town next to the market place for birthdays weddings and other parties we deliver cakes to your door please
call a week before your order thank you for many years of trust new season great offers summer sale up to percent off
selected items while stocks last Zażółć gęślą jaźń naïve façade Größe Straße œuvre`.split(/\s+/)

/** Preflight of documents with 200 layers of text. The limit is what is asked of it, in milliseconds. */
export function benchPreflight(): void {
  const { book } = loadFonts()
  let made = 0
  const check = (document: DesignDocument) => {
    const begin = performance.now()
    preflight({ document, product: { status: 'active', printAreas: [AREA] }, assets: new Map(), fonts: book })
    return performance.now() - begin
  }
  const timed = (figure: string, next: () => DesignDocument) => {
    const timings: number[] = []
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const milliseconds = check(next())
      if (round >= 0) timings.push(milliseconds)
    }
    timings.sort((a, b) => a - b)
    const value = quantile(timings, 0.5)
    const p99Ms = quantile(timings, 0.99)
    report({
      figure,
      value,
      limit: LIMIT_MS,
      unit: 'ms',
      ratio: value / LIMIT_MS,
      aim: 'under 10 ms',
      reached: value < LIMIT_MS,
      p99Ms,
    })
  }
  const newDocument = (words: number, other: string) => documentOf(words, () => `${other}${made++}`)
  const known = newDocument(6, 'No')
  timed('preflight of 200 texts, all new', () => newDocument(6, 'No'))
  timed('preflight of 200 texts, known', () => known)
  timed('preflight of 200 paragraphs of 95 characters, all new', () => newDocument(16, 'No'))
}

function documentOf(words: number, nextNumber: () => string): DesignDocument {
  const layers = Array.from({ length: LAYERS }, (_, i) => ({
    id: `layer-${i}`,
    type: 'text' as const,
    x: 10 + (i % 10) * 28,
    y: 10 + Math.floor(i / 10) * 20,
    width: 26,
    height: 19,
    text: Array.from({ length: words }, (_, w) =>
      w === 0 ? nextNumber() : WORDS[(i * 7 + w * 13) % WORDS.length],
    ).join(' '),
    fontFamily: 'Inter',
    fontSizePt: 7,
  }))
  return normalizeDocument({ version: 1, placements: [{ printAreaId: AREA.id, layers }] })
}
