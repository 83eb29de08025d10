import { hash } from 'node:crypto'
import type { TestContext } from 'node:test'
import { type LayerInput, normalizeDocument, type PreflightReport } from '../../drawing/index.ts'
import { POSTCARD } from '../factory.ts'
import type { JobFont } from '../types.ts'
import { type FontChanges, makeFont, writeFont } from '../user-fonts/factory.ts'
import { type Checker, type CheckerOptions, createChecker } from './checker.ts'
import type { PreflightJob } from './jobs.ts'

/** Starts a checker, waits for its first process, and closes the checker after the test. */
export async function startChecker(t: TestContext, options: Partial<CheckerOptions> = {}): Promise<Checker> {
  const checker = createChecker({ log: { warn: () => {} }, ...options })
  t.after(() => checker.close())
  await checker.warmUp()
  return checker
}

export async function jobFont(t: TestContext, family: string, bytes: Uint8Array): Promise<JobFont> {
  const { path } = await writeFont(t, bytes)
  return { family, weight: 400, style: 'normal', path, sha256: hash('sha256', bytes) }
}

/**
 * Makes a font of the given size that draws like any other font. The additional bytes are in a table that shaping
 * reads.
 */
export function makeLarge(mebibytes: number, changes: FontChanges = {}): Promise<Buffer> {
  const pad = (cmap: Uint8Array) => Buffer.concat([cmap, new Uint8Array(mebibytes * 1024 * 1024)])
  return makeFont({ ...changes, edit: (tables) => tables.set('cmap', pad(tables.get('cmap') ?? new Uint8Array())) })
}

/** Returns a text layer for a postcard in the given font family. */
export function textIn(fontFamily: string, text = 'Hello', more: Partial<LayerInput & { type: 'text' }> = {}) {
  const box = { x: 8, y: 20, width: 80, height: 100, fontSizePt: 12 }
  return { id: `in-${fontFamily}`, type: 'text', text, fontFamily, ...box, ...more } as const
}

/** A text that fits no box and takes long to lay out: the maximum number of letters, without a blank. */
export const LONG = 'abcdefghij'.repeat(1000)

export function documentJsonOf(layers: LayerInput[]): string {
  return JSON.stringify(normalizeDocument({ version: 1, placements: [{ printAreaId: 'front', layers }] }))
}

export function jobOf(layers: LayerInput[], fonts: JobFont[] = []): PreflightJob {
  const product = { status: 'active', printAreas: POSTCARD, variantAvailable: true }
  return { documentJson: documentJsonOf(layers), product, assets: {}, fonts }
}

export function codesIn(reportJson: string): string[] {
  return (JSON.parse(reportJson) as PreflightReport).issues.map(({ code }) => code)
}
