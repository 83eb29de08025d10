import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { canonicalJson } from '../../src/drawing/canonical-json.ts'
import { DRAWING_VERSION } from '../../src/drawing/draw/draw-print-area.ts'
import { RENDERER_VERSION } from '../../src/rendering/content-hash.ts'
import type { RenderedFile } from '../../src/rendering/index.ts'
import type { CorpusEntry } from './corpus.ts'

/** What the corpus comes out as: the committed `hashes.json`. */
export interface CorpusHashes {
  rendererVersion: number
  drawingVersion: number
  /** Where the previews were made: pixels are computed with the processor's own instructions, print files are not. */
  platform: string
  /** Hex SHA-256 by the name of the design: of the design itself, and of its files. */
  designs: Record<string, { source: string; print: string; previews: string[] }>
}

export const HASHES_FILE = join(import.meta.dirname, 'hashes.json')

export function readHashes(): CorpusHashes {
  return JSON.parse(readFileSync(HASHES_FILE, 'utf8')) as CorpusHashes
}

/** @param drawn the files of each design, by its name */
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

/** The designs that are what they were and come out as other files. Previews are compared only where they were made on such a machine. */
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
 * The designs that changed although no version says so: print files made before and after would claim to be the same.
 * Designs that are new, changed or gone do not count.
 */
export function unannouncedChanges(before: CorpusHashes, now: CorpusHashes): string[] {
  const isAnnounced = now.rendererVersion > before.rendererVersion || now.drawingVersion > before.drawingVersion
  return isAnnounced ? [] : changedDesigns(before, now)
}
