import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')

/** Holds the hash of the sources of a build, in its folder. */
const MARK = '.sources'

/** Hashes the files that match one of the patterns, which are relative to the project, without tests. */
export function hashSources(patterns: readonly string[]): string {
  const hash = createHash('sha256')
  const files = globSync(patterns, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(test|fixture)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const file of files) hash.update(`${relative(ROOT, file)}\0`).update(readFileSync(file))
  return hash.digest('hex')
}

/** Tells whether a folder contains the complete build of sources with this hash. */
export function isBuilt(folder: string, sources: string): boolean {
  try {
    return readFileSync(join(folder, MARK), 'utf8') === sources
  } catch {
    return false
  }
}

/** Marks a build as complete. Call it last, so that an interrupted build is repeated. */
export function markBuilt(folder: string, sources: string): void {
  writeFileSync(join(folder, MARK), sources)
}
