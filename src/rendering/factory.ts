import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { type DesignDocumentInput, normalizeDocument, type PrintArea } from '../drawing/index.ts'
import { createRenderer, type RendererOptions } from './renderer.ts'
import type { HashedPrintJob, JobImage } from './types.ts'

/** Starts a renderer with one process and closes the renderer after the test. */
export function startRenderer(t: TestContext, options: Partial<RendererOptions> = {}) {
  const renderer = createRenderer({ processes: 1, log: { warn: () => {} }, ...options })
  t.after(() => renderer.close())
  return renderer
}

/** The two sides of an A6 postcard in portrait format. */
export const POSTCARD: PrintArea[] = ['front', 'back'].map((id) => ({
  id,
  name: id,
  widthMm: 105,
  heightMm: 148,
  bleedMm: 3,
  safeMarginMm: 4,
  targetDpi: 300,
  required: id === 'front',
}))

export type LayerInput = DesignDocumentInput['placements'][number]['layers'][number]

/** Returns a print job for a postcard with the given layers on its sides. */
export function postcard(
  sides: { front?: LayerInput[]; back?: LayerInput[] },
  images: Record<string, JobImage> = {},
): HashedPrintJob {
  const placements = Object.entries(sides).map(([printAreaId, layers]) => ({ printAreaId, layers }))
  const document = normalizeDocument({ version: 1, placements })
  return { document, printAreas: POSTCARD, images, contentHash: 'c0'.repeat(32) }
}

export function jobImage(path: string): JobImage {
  return { path, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') }
}

/** Returns an image layer that covers the whole front, including the bleed. */
export const fullBleed = (assetId: string): LayerInput => ({
  id: `bleed-${assetId}`,
  type: 'image',
  assetId,
  x: -3,
  y: -3,
  width: 111,
  height: 154,
})

let ids = 0

/** Returns a layer with a line of text in a box of its own. */
export const text = (value: string, at: { y: number; fontFamily?: string; fontSizePt?: number }): LayerInput => {
  ids += 1
  return {
    id: `text-${ids}`,
    type: 'text',
    text: value,
    x: 8,
    width: 89,
    height: 16,
    fontFamily: 'Inter',
    fontSizePt: 16,
    ...at,
  }
}
