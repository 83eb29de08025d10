import { availableParallelism } from 'node:os'
import { AssetRefused, RenderFailed } from './errors.ts'
import type { AssetInfo } from './images/inspect-image.ts'
import { createPool } from './pool/pool.ts'
import type { HashedPrintJob, PreviewJob, RenderedFile } from './types.ts'
import type { RenderJobs } from './worker.ts'

export type RendererOptions = {
  /** Child processes at most; the number of cores when left out. They start with the first jobs. */
  processes?: number
  /** Time for one job, without its wait in the queue. */
  timeoutMs?: number
  /** Jobs that may wait; one more is refused. */
  maxQueue?: number
  /** Resident memory of one child process, in MiB. */
  memoryLimitMb?: number
  log: { warn(fields: object, message: string): void }
}

/** Decodes and draws in child processes. Besides what is stated, each call rejects with `RenderFailed` or `RenderQueueFull`. */
export type Renderer = {
  /** Finds out what an uploaded file is. Rejects with `AssetRefused` when it cannot be used. */
  inspect(file: { path: string }): Promise<AssetInfo>
  /** Makes the print PDF and a preview for each of its pages, as files in `outDir`, which exists and is empty. */
  print(job: HashedPrintJob, outDir: string): Promise<RenderedFile[]>
  /** Draws one print area as it looks when cut. */
  preview(job: PreviewJob): Promise<Uint8Array>
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
  return {
    async inspect({ path }) {
      const inspection = await pool.run('inspect', { path }).catch(blameFile)
      if ('info' in inspection) return inspection.info
      throw new AssetRefused(inspection.refused.code, inspection.refused.detail)
    },
    print: (job, outDir) => twice(() => pool.run('print', { job, outDir })),
    preview: (job) => twice(() => pool.run('preview', job)),
    warmUp: () => pool.run('warmUp', undefined as never),
    close: () => pool.close(),
  }
}

/** A process may die for a reason that is not its job's. One that dies twice of a job does so because of it. */
async function twice<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const died = error instanceof RenderFailed && (error.cause === 'crash' || error.cause === 'memory')
    if (!died) throw error
    return run()
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
