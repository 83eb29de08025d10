import { open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createSemaphore } from '../../platform/concurrency/semaphore.ts'
import { isDamage, type Storage, storageUnavailable } from '../../platform/storage/index.ts'
import { type FilesToMerge, type JobOptions, type Renderer, renderFaultOf } from '../../rendering/index.ts'
import { designProblems } from '../problems.ts'
import { toRenderProblem } from './render-input.ts'

/** How many files are brought to this computer at once. */
const LOCATING = 8

/** Time limit for bringing the files to this computer. Only object storage takes time. */
const LOCATING_MS = 60_000

/**
 * Finds paths of stored files on this computer, by their hashes. Files whose bytes are missing or damaged have none.
 *
 * @throws `storage_unavailable`
 */
export async function locatePrintFiles(
  storage: Pick<Storage, 'localPath'>,
  sha256s: Iterable<string>,
): Promise<Map<string, string>> {
  const paths = new Map<string, string>()
  const semaphore = createSemaphore(LOCATING)
  const end = performance.now() + LOCATING_MS
  const locate = async (sha256: string): Promise<void> => {
    if (performance.now() > end) throw storageUnavailable(new Error(`not all files arrived within ${LOCATING_MS} ms`))
    try {
      paths.set(sha256, await storage.localPath(sha256))
    } catch (error) {
      if (!isDamage(error)) throw error
    }
  }
  await Promise.all(Array.from(sha256s, (sha256) => semaphore.run(() => locate(sha256))))
  return paths
}

/** `others` are the indexes of the files with another printing condition than that of the first. */
export type MergedFile = { stream: Readable; bytes: number } | { others: number[] }

/**
 * Joins print files to one PDF in a rendering process, and opens it. Nothing of the file remains after it was read.
 *
 * @param bytes estimated size of the merged file
 * @throws `renderer_busy`, `render_failed`, `storage_unavailable`
 */
export async function mergePrintFiles(
  { storage, renderer }: { storage: Storage; renderer: Pick<Renderer, 'mergePrintFiles'> },
  { bytes, ...job }: FilesToMerge & { bytes: number },
  options: JobOptions,
): Promise<MergedFile> {
  const dir = await storage.createWorkDir()
  const admission = await storage.admit({ least: bytes, most: bytes })
  try {
    await admission.cover(bytes)
    const outcome = await renderer.mergePrintFiles(job, dir, options)
    if ('others' in outcome) return outcome
    // The bytes of a removed file stay readable until the file is closed, so that no reader can leave them behind.
    const file = await open(outcome.path)
    return { stream: file.createReadStream(), bytes: outcome.bytes }
  } catch (error) {
    throw toMergeProblem(error)
  } finally {
    admission.end()
    await rm(dir, { recursive: true, force: true })
  }
}

function toMergeProblem(error: unknown): unknown {
  switch (renderFaultOf(error)) {
    case 'timeout': {
      const detail = 'Merging exceeded its time limit. Choose fewer orders, or download the files as a ZIP archive.'
      return designProblems.renderer_busy({ detail, headers: { 'Retry-After': '10' } })
    }
    case 'memory':
    case 'failed':
      return designProblems.render_failed({
        detail: 'The print files could not be merged. Download them as a ZIP archive.',
      })
    default:
      return toRenderProblem(error)
  }
}
