import { DOCUMENT_LIMITS } from '../../src/drawing/document/schema/limits.ts'
import type { DesignDocumentInput, LayerInput } from '../../src/drawing/index.ts'

const AREA = 'front'
const LAYERS = DOCUMENT_LIMITS.layers
const TEXT = DOCUMENT_LIMITS.totalTextLength
const PATH = DOCUMENT_LIMITS.totalPathLength

let made = 0

/**
 * Returns a number for the next document. It makes the texts of each document different, so that no cache contains
 * them.
 */
function nextNumber(): number {
  made += 1
  return made
}

function documentOf(layers: LayerInput[]): DesignDocumentInput {
  return { version: 1, placements: [{ printAreaId: AREA, layers }] }
}

/** Returns the box of a cell in a grid. The grid fills an area of 900 by 900 mm. */
function boxOf(index: number, count: number) {
  const columns = Math.ceil(Math.sqrt(count))
  const size = Math.floor(900 / columns)
  return { x: (index % columns) * size, y: Math.floor(index / columns) * size, width: size - 1, height: size - 1 }
}

function textLayer(index: number, count: number, text: string, changes: object = {}): LayerInput {
  const font = { fontFamily: 'Inter', fontSizePt: 8 }
  return { id: `text-${index}`, type: 'text', ...boxOf(index, count), text, ...font, ...changes } as LayerInput
}

function words(length: number): string {
  const number = nextNumber()
  let text = ''
  for (let word = 0; text.length < length; word += 1) text += `${(number * 7_919 + word * 104_729).toString(36)} `
  return text.slice(0, length)
}

function repeated(unit: string, length: number): string {
  return `${nextNumber()}${unit.repeat(Math.ceil(length / unit.length))}`.slice(0, length)
}

/** Makes shapes whose paths consist of as many segments as the limits of path data allow. */
function pathLayers(segment: string, stroke: object): LayerInput[] {
  const count = Math.ceil(PATH / DOCUMENT_LIMITS.pathLength)
  const length = Math.floor(PATH / count)
  return Array.from({ length: count }, (_, index) => {
    const path = `M1 1${segment.repeat(Math.floor((length - 4) / segment.length))}`
    return { id: `path-${index}`, type: 'shape', shape: 'path', ...boxOf(index, count), path, ...stroke } as LayerInput
  })
}

const DASHED = { stroke: { color: '#000000', widthMm: 0.5, dashMm: [1, 1] } }
// To count the dashes, the service measures all paths. There are too few dashes for a rejection.
const LONG_DASHES = { color: '#000000', widthMm: 0.01, dashMm: [1_000, 1_000] }
const FILLED = { fill: '#336699' }

/**
 * The largest documents, each with another kind of cost. `operations.ts` uses the names. A name that begins with `text`
 * needs text layout.
 */
export const LARGE_DOCUMENTS = {
  'text in 200 layers': () =>
    documentOf(Array.from({ length: LAYERS }, (_, n) => textLayer(n, LAYERS, words(TEXT / LAYERS)))),
  'text without spaces, Arabic, in a narrow box': () => {
    const narrow = { fontFamily: 'Noto Sans Arabic', width: 3, height: 800 }
    return documentOf([0, 1].map((n) => textLayer(n, 4, repeated('سلام', TEXT / 2), narrow)))
  },
  'text of soft hyphens': () => documentOf([0, 1].map((n) => textLayer(n, 2, repeated('a\u00ad', TEXT / 2)))),
  'text of 10 000 lines': () => documentOf([0, 1].map((n) => textLayer(n, 2, repeated('\n', TEXT / 2)))),
  'text of placeholders': () =>
    documentOf(Array.from({ length: 100 }, (_, n) => textLayer(n, 100, `{{value${n}}} ${words(150)}`))),
  'paths of short lines': () => documentOf(pathLayers('h1v1h-1v-1', FILLED)),
  'paths of curves, dashed': () =>
    documentOf(pathLayers('q1 1 2 0t1 1t-1-1s1 1 2 2', { ...FILLED, stroke: LONG_DASHES })),
  'paths of arcs': () => documentOf(pathLayers('a1 2 3 011 1', FILLED)),
  'shapes with 20 000 dashes': () =>
    documentOf(
      Array.from({ length: LAYERS }, (_, n) => {
        const { x, y } = boxOf(n, LAYERS)
        return { id: `shape-${n}`, type: 'shape', shape: 'rect', x, y, width: 48, height: 48, ...DASHED } as LayerInput
      }),
    ),
  'QR codes in 200 layers': () => documentOf(qrLayers(LAYERS, TEXT / LAYERS)),
  'QR codes of 2000 characters': () => documentOf(qrLayers(10, TEXT / 10)),
} as const satisfies Record<string, () => DesignDocumentInput>

function qrLayers(count: number, length: number): LayerInput[] {
  const faulty = { errorCorrection: 'L', color: '#777777', background: '#888888' }
  return Array.from({ length: count }, (_, n) => {
    return { id: `qr-${n}`, type: 'qr', ...boxOf(n, count), value: words(length), ...faulty } as LayerInput
  })
}

/**
 * Makes a document with an image in each of its layers. Most images have too low a resolution, so preflight reports an
 * issue for each of them.
 */
export function imagesDocument(assetId: string): DesignDocumentInput {
  return documentOf(
    Array.from({ length: LAYERS }, (_, n) => {
      const crop = { x: 0.1, y: 0.1, width: 0.123456789, height: 0.987654321 - 0.1 }
      return { id: `image-${n}`, type: 'image', ...boxOf(n, LAYERS), assetId, fit: 'cover', crop } as LayerInput
    }),
  )
}

/** Makes a document with the given number of placeholders. An order item has one value for each. */
export function placeholdersDocument(count: number): DesignDocumentInput {
  return documentOf(Array.from({ length: count }, (_, n) => textLayer(n, count, `{{value${n}}}`, { fontSizePt: 4 })))
}

/** A small document without text, so that the service needs no fonts for it. */
export const PLAIN_DOCUMENT: DesignDocumentInput = documentOf([
  { id: 'area', type: 'shape', shape: 'rect', x: -5, y: -5, width: 1010, height: 1010, fill: '#336699' } as LayerInput,
])

export function largeMetadata(): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`${n}`.padStart(64, 'k'), `${nextNumber()}`.padStart(500, 'ü')]),
  )
}
