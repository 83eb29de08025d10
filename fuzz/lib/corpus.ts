import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { replay } from './replay.ts'
import type { TargetName } from './target.ts'

const CORPUS = join(import.meta.dirname, '../corpus')
/** The maximum size of the compressed inputs of one target. */
const MAX_TARGET_BYTES = 480 * 1024
const MAX_INPUT_BYTES = 40 * 1024

/** Returns the paths of the inputs that the corpus has for a target. Each file is compressed with Brotli. */
export function corpusFiles(target: TargetName): string[] {
  const dir = join(CORPUS, target)
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .sort()
    .map((file) => join(dir, file))
}

/** Reads an input. If the file name ends in `.br`, the input is decompressed. */
export function readInput(path: string): Buffer {
  const bytes = readFileSync(path)
  return path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes
}

/**
 * Adds inputs of a population to the corpus: for each outcome that the corpus lacks, the smallest input. Stops at the
 * maximum size. Returns how many inputs were added.
 */
export async function collect(target: TargetName, populationDir: string): Promise<number> {
  const kept = corpusFiles(target)
  const known = new Set((await replay(target, kept)).map((result) => ('outcome' in result ? result.outcome : '')))
  let room = MAX_TARGET_BYTES - kept.reduce((sum, path) => sum + readFileSync(path).length, 0)
  const candidates = readdirSync(populationDir)
    .map((file) => join(populationDir, file))
    .map((path) => ({ path, packed: brotliCompressSync(readFileSync(path)) }))
    .filter(({ packed }) => packed.length <= MAX_INPUT_BYTES)
    .sort((a, b) => a.packed.length - b.packed.length)
  const results = await replay(
    target,
    candidates.map(({ path }) => path),
  )
  let added = 0
  for (const [index, { packed }] of candidates.entries()) {
    const result = results[index]
    if (result === undefined || !('outcome' in result) || known.has(result.outcome) || packed.length > room) continue
    known.add(result.outcome)
    room -= packed.length
    added += 1
    keepInput(target, brotliDecompressSync(packed))
  }
  return added
}

/** Writes an input into the corpus. Its name is derived from its content. */
export function keepInput(target: TargetName, input: Buffer): void {
  const dir = join(CORPUS, target)
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, `${hash('sha256', input).slice(0, 16)}.br`), brotliCompressSync(input))
}
