import { type DesignDocument, normalizeDocument, type PrintArea } from '../../src/drawing/index.ts'
import { createChecker } from '../../src/rendering/index.ts'
import { quantile } from '../lib/load.ts'
import { report } from '../lib/report.ts'

const LAYERS = 200
const ROUNDS = 60
/** The number of rounds before the measurement. They load fonts and compile code. */
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

// The words of the test texts. The texts of a shop also repeat some hundred words. Each document adds words of its own.
const WORDS =
  `open daily fresh bread and coffee from our own oven every morning we bake with flour of the region come and see us
in the old town next to the market place for birthdays weddings and other parties we deliver cakes to your door please
call a week before your order thank you for many years of trust new season great offers summer sale up to percent off
selected items while stocks last Zażółć gęślą jaźń naïve façade Größe Straße œuvre`.split(/\s+/)

/**
 * Measures preflight of documents with 200 text layers in a checking process. The time includes the transfer between
 * processes, as for saves. The limit is the required time in milliseconds.
 */
export async function benchPreflight(): Promise<void> {
  const checker = createChecker({ log: { warn: (fields, message) => console.error(message, fields) } })
  await checker.warmUp()
  let made = 0
  const check = async (document: DesignDocument) => {
    const product = { status: 'active', printAreas: [AREA], variantAvailable: true }
    const job = { documentJson: JSON.stringify(document), product, assets: {}, fonts: [] }
    const begin = performance.now()
    await checker.preflight(job, { owner: 'bench' })
    return performance.now() - begin
  }
  const timed = async (figure: string, limit: number, next: () => DesignDocument) => {
    const timings: number[] = []
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const milliseconds = await check(next())
      if (round >= 0) timings.push(milliseconds)
    }
    timings.sort((a, b) => a - b)
    const value = quantile(timings, 0.5)
    const p99Ms = quantile(timings, 0.99)
    const aim = `under ${limit} ms`
    report({ figure, value, limit, unit: 'ms', ratio: value / limit, aim, reached: value < limit, p99Ms })
  }
  const newDocument = (words: number, other: string) => documentOf(words, () => `${other}${made++}`)
  const known = newDocument(6, 'No')
  await timed('preflight of 200 texts, all new', 10, () => newDocument(6, 'No'))
  await timed('preflight of 200 texts, known', 5, () => known)
  await timed('preflight of 200 paragraphs of 95 characters, all new', 10, () => newDocument(16, 'No'))
  await checker.close()
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
