import { availableParallelism } from 'node:os'
import type { ProfileInfo } from './color/inspect-profile.ts'
import { AssetRefused, FontRefused, ProfileRefused, RenderFailed } from './errors.ts'
import type { AssetInfo } from './images/inspect-image.ts'
import type { Lane } from './pool/lanes.ts'
import { createPool } from './pool/pool.ts'
import type { HashedPrintJob, PreviewJob, RenderedFile } from './types.ts'
import type { FontInfo } from './user-fonts/inspect-font.ts'
import type { RenderJobs } from './worker.ts'

export type RendererOptions = {
  /** Child processes at most; the number of cores when left out. They start with the first jobs. */
  processes?: number
  /** Time for one job, without its wait in the queue. */
  timeoutMs?: number
  /** Jobs that may wait for people, and as many in the background; one more is refused. */
  maxQueue?: number
  /** Resident memory of one child process, in MiB. */
  memoryLimitMb?: number
  log: { warn(fields: object, message: string): void }
}

/** Draws in child processes. Each call rejects with `RenderFailed` or `RenderQueueFull`. */
export type Drawer = {
  /** Makes the print PDF and a preview for each of its pages, as files in `outDir`, which exists and is empty. */
  print(job: HashedPrintJob, outDir: string): Promise<RenderedFile[]>
  /** Draws one print area as it looks when cut. */
  preview(job: PreviewJob): Promise<Uint8Array>
}

/** Decodes and draws in child processes, for people who wait. */
export type Renderer = Drawer & {
  /** Finds out what an uploaded file is. Rejects with `AssetRefused` when it cannot be used, else as a `Drawer`. */
  inspect(file: { path: string }): Promise<AssetInfo>
  /** Finds out what an uploaded font is and unpacks it. Rejects with `FontRefused` when it cannot be used, else as a `Drawer`. */
  inspectFont(file: { path: string; unpackedPath: string }): Promise<FontInfo>
  /** Finds out what an uploaded colour profile is. Rejects with `ProfileRefused` when it cannot be used, else as a `Drawer`. */
  inspectProfile(file: { path: string }): Promise<ProfileInfo>
  /** The same for jobs, which come after people; see `createLanes`. */
  inBackground: Drawer
  /** Starts one process ahead of the first job, fonts loaded. */
  warmUp(): Promise<void>
  /** Refuses new and waiting jobs, lets running ones end, ends the processes. */
  close(): Promise<void>
}

/** Creates a renderer. Nothing starts before the first job. */
export function createRenderer(options: RendererOptions): Renderer {
  const { processes = availableParallelism(), timeoutMs = 15_000, maxQueue = 64, memoryLimitMb = 1024, log } = options
  const module = new URL('./worker.ts', import.meta.url)
  const pool = createPool<RenderJobs>({ module, processes, timeoutMs, maxQueue, memoryLimitMb, log })
  const drawIn = (lane: Lane): Drawer => ({
    print: (job, outDir) => pool.run('print', { job, outDir }, { lane, againAfterDeath: true }),
    preview: (job) => pool.run('preview', job, { lane, againAfterDeath: true }),
  })
  return {
    async inspect({ path }) {
      const inspection = await pool.run('inspect', { path }).catch(blameFile)
      if ('info' in inspection) return inspection.info
      throw new AssetRefused(inspection.refused.code, inspection.refused.detail)
    },
    async inspectFont(file) {
      const inspection = await pool.run('inspectFont', file).catch(blameFont)
      if ('info' in inspection) return inspection.info
      throw new FontRefused(inspection.refused.code, inspection.refused.detail)
    },
    async inspectProfile(file) {
      const inspection = await pool.run('inspectProfile', file).catch(blameProfile)
      if ('info' in inspection) return inspection.info
      throw new ProfileRefused(inspection.refused.code, inspection.refused.detail)
    },
    ...drawIn('interactive'),
    inBackground: drawIn('background'),
    warmUp: () => pool.run('warmUp', undefined as never),
    close: () => pool.close(),
  }
}

/** A decoder that ran wild did so on this file: sending it again would do the same. */
function blameFile(error: unknown): never {
  if (!(error instanceof RenderFailed)) throw error
  switch (error.cause) {
    case 'crash':
      throw new AssetRefused('asset_unreadable', 'The image cannot be decoded.')
    case 'memory':
      throw new AssetRefused('asset_too_large', 'Decoding the image takes too much memory.')
    case 'timeout':
      throw new AssetRefused('asset_too_large', 'Decoding the image takes too long.')
    default:
      throw error
  }
}

/** As `blameFile`. */
function blameProfile(error: unknown): never {
  if (!(error instanceof RenderFailed)) throw error
  if (error.cause === 'error' || error.cause === 'unavailable') throw error
  throw new ProfileRefused('color_profile_unreadable', 'Colours cannot be converted with the profile.')
}

/** As `blameFile`. */
function blameFont(error: unknown): never {
  if (!(error instanceof RenderFailed)) throw error
  switch (error.cause) {
    case 'crash':
      throw new FontRefused('font_unreadable', 'The font cannot be drawn with.')
    case 'memory':
      throw new FontRefused('font_too_large', 'Drawing with the font takes too much memory.')
    case 'timeout':
      throw new FontRefused('font_too_large', 'Drawing with the font takes too long.')
    default:
      throw error
  }
}
