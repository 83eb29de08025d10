import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { canonicalJson } from '../../src/drawing/canonical-json.ts'
import { DRAWING_VERSION } from '../../src/drawing/draw/draw-print-area.ts'
import { RENDERER_VERSION } from '../../src/rendering/content-hash.ts'
import type { RenderedFile } from '../../src/rendering/index.ts'
import type { CorpusEntry } from './corpus.ts'

/** The hashes of the drawn corpus. `hashes.json` is the committed version. */
export interface CorpusHashes {
  rendererVersion: number
  drawingVersion: number
  /** The platform of the previews. Their pixels depend on the instructions of the processor. Print files do not. */
  platform: string
  /** SHA-256 hashes in hexadecimal by the name of the design: the hash of the design itself, and those of its files. */
  designs: Record<string, { source: string; print: string; previews: string[] }>
}

export const HASHES_FILE = join(import.meta.dirname, 'hashes.json')

export function readHashes(): CorpusHashes {
  return JSON.parse(readFileSync(HASHES_FILE, 'utf8')) as CorpusHashes
}

/**
 * Computes the hashes of the corpus.
 * @param drawn the files of each design, by the name of the design
 */
export function hashesOf(corpus: readonly CorpusEntry[], drawn: ReadonlyMap<string, RenderedFile[]>): CorpusHashes {
  const designs = corpus.map(({ name, job: { document, printAreas, images, data, outputProfile } }) => {
    const content = Object.entries(images).map(([id, { sha256 }]) => [id, sha256])
    const source = canonicalJson({ document, printAreas, content, data, outputProfile: outputProfile?.sha256 })
    const [print = '', ...previews] = (drawn.get(name) ?? []).map(({ sha256 }) => sha256)
    return [name, { source: hash('sha256', source), print, previews }] as const
  })
  const platform = `${process.platform}-${process.arch}`
  return {
    rendererVersion: RENDERER_VERSION,
    drawingVersion: DRAWING_VERSION,
    platform,
    designs: Object.fromEntries(designs),
  }
}

/** Finds designs that have not changed but whose files have. Previews are compared only on the same platform. */
export function changedDesigns(before: CorpusHashes, now: CorpusHashes): string[] {
  const comparable = ({ print, previews }: CorpusHashes['designs'][string]) =>
    JSON.stringify(before.platform === now.platform ? [print, previews] : print)
  return Object.entries(now.designs)
    .filter(([name, files]) => {
      const earlier = before.designs[name]
      return earlier?.source === files.source && comparable(earlier) !== comparable(files)
    })
    .map(([name]) => name)
}

/**
 * Finds designs whose files changed without a new version of the renderer or of drawing. Print files from before and
 * after such a change would have the same content hash. New, changed and removed designs do not count.
 */
export function unannouncedChanges(before: CorpusHashes, now: CorpusHashes): string[] {
  const isAnnounced = now.rendererVersion > before.rendererVersion || now.drawingVersion > before.drawingVersion
  return isAnnounced ? [] : changedDesigns(before, now)
}
