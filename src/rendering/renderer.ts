import { availableParallelism } from 'node:os'
import { type Layer, normalizeDocument } from '../drawing/index.ts'
import type { FindShare } from '../platform/fair-share.ts'
import {
  type AssetRefusal,
  type FontRefusal,
  type ProfileRefusal,
  Refused,
  RenderFailed,
  RenderQueueFull,
  renderFaultOf,
} from './errors.ts'
import { MAX_DECODING_BYTES } from './images/decoding-memory.ts'
import type { AssetInfo } from './images/inspect-image.ts'
import type { ProfileInfo } from './inspect-profile.ts'
import type { PrintPageJob } from './jobs/draw-print-page.ts'
import type { ThumbnailJob } from './jobs/draw-thumbnail.ts'
import type { FilesToMerge, MergeOutcome } from './jobs/merge-print-files.ts'
import type { MergeJob } from './jobs/merge-sheets.ts'
import type { Priority } from './pool/job-queue.ts'
import { createPool, type JobLoad, type Pool } from './pool/pool.ts'
import { UNCLAIMED_BYTES } from './pool/pool-memory.ts'
import { createSelfCheck } from './pool/self-check.ts'
import { withShares } from './pool/with-shares.ts'
import type { HashedPrintJob, PreviewJob, RenderedFile, SheetJob } from './types.ts'
import type { FontInfo } from './user-fonts/inspect-font.ts'
import type { Examined, RenderJobs } from './worker.ts'

export type RendererOptions = {
  /** The most child processes. The default is the number of cores plus two. A process starts when a job needs it. */
  processes?: number
  /** Wall-clock limit for one job in milliseconds, without the time in the queue. */
  timeoutMs?: number
  /**
   * Limit for the processor time of one job in milliseconds. Unlike the wall-clock limit, it does not depend on other load,
   * so a job that exceeds it is itself the cause.
   */
  cpuLimitMs?: number
  /** The most waiting jobs per priority. The renderer rejects further jobs. */
  maxQueue?: number
  /** The most waiting jobs of one owner per priority. Defaults to 8. */
  maxQueuePerOwner?: number
  /** Limit for the resident memory of one child process, in MiB. */
  memoryLimitMb?: number
  /** Finds the share of an owner. Default: `shareOf`. */
  findShare?: FindShare
  /** For tests: the module that the processes run. */
  module?: URL
  /** The pool that runs the jobs. Default: an own one. */
  pool?: RenderPool | undefined
  log: { warn(fields: object, message: string): void }
}

/** The processes that draw. */
export type RenderPool = Pool<RenderJobs>

/** Options of one job. */
export type JobOptions = {
  /** The owner of the job. The queue serves owners in rotation, and no single owner can fill it. */
  owner?: string
  /** Removes the job if it is still waiting, which rejects with `RenderFailed`. A running job continues. */
  signal?: AbortSignal | undefined
  /**
   * Called when a process takes the job, before the job runs. If this function rejects, the job does not run and
   * rejects with the same error.
   */
  onStart?: () => Promise<void>
}

/** Draws in child processes. Each call rejects with `RenderFailed` or `RenderQueueFull`. */
export type Drawer = {
  /** Writes the print PDF and a preview of each page into `outDir`. The folder must exist and be empty. */
  print(job: HashedPrintJob, outDir: string, options?: JobOptions): Promise<RenderedFile[]>
  /** Draws one print area as it looks when cut. */
  preview(job: PreviewJob, options?: JobOptions): Promise<Uint8Array>
}

/**
 * Inspects uploads and draws, in child processes and at interactive priority. Each call rejects with `RenderFailed` or
 * `RenderQueueFull`, and inspections also with `Refused`.
 */
export type Renderer = Drawer & {
  /** Inspects an uploaded image. Rejects with `Refused` (`AssetRefusal`) if the image cannot be used. */
  inspect(file: { path: string }, options?: JobOptions): Promise<AssetInfo>
  /** Inspects and unpacks an uploaded font. Rejects with `Refused` (`FontRefusal`) if the font cannot be used. */
  inspectFont(file: { path: string; unpackedPath: string }, options?: JobOptions): Promise<FontInfo>
  /** Inspects an uploaded colour profile. Rejects with `Refused` (`ProfileRefusal`) if the profile cannot be used. */
  inspectProfile(file: { path: string }, options?: JobOptions): Promise<ProfileInfo>
  /**
   * Draws the thumbnail of an image that was inspected: by default WebP with at most 400 pixels on its longest side.
   * Rejects like `inspect`.
   */
  thumbnail(job: ThumbnailJob, options?: JobOptions): Promise<Uint8Array>
  sheet(job: SheetJob, options?: JobOptions): Promise<Uint8Array>
  mergeSheets(job: MergeJob, options?: JobOptions): Promise<Uint8Array>
  /** Writes one PDF with the pages of print files into `outDir`. The folder must exist. */
  mergePrintFiles(job: FilesToMerge, outDir: string, options?: JobOptions): Promise<MergeOutcome>
  /** Draws a page of a print file as WebP. Undefined: the file has fewer pages. */
  printPage(job: PrintPageJob, options?: JobOptions): Promise<Uint8Array | undefined>
  /**
   * Lays out normalized texts in the widths of their boxes with the installed fonts. Resolves to the heights of the
   * texts in millimetres.
   */
  textHeights(layers: readonly Layer[], options?: JobOptions): Promise<number[]>
  /** Rejects with `RenderQueueFull` if a further job of an owner would be too many, before it is prepared. */
  requireRoom(owner: string): Promise<void>
  /** Runs the same drawing functions at background priority, which `createJobQueue` describes. */
  inBackground: Drawer
  /** Starts one process and loads its fonts before the first job. */
  warmUp(): Promise<void>
  /** Tells whether the processes start and draw. `createSelfCheck` describes the test. */
  isWorking(): Promise<boolean>
  /** Counts the jobs that have not ended, by priority. */
  load(): JobLoad
  /** Rejects new and waiting jobs, waits for running jobs, then ends the processes. */
  close(): Promise<void>
}

/**
 * A preview takes a twentieth of this time, and an ordinary print file a quarter. After a longer job of an owner, the
 * queue reserves processes for other owners, as `createJobQueue` describes.
 */
const SLOW_JOB_MS = 500

const CPU_LIMIT_MS = 14_000

/**
 * Processes with this niceness get a quarter of the processor time of those of others, and a tenth of that of the API.
 * Even then, a job reaches `CPU_LIMIT_MS` within this many times `CLOCK_LIMIT_MS`.
 */
const SLOW_OWNERS = { niceness: 10, timeFactor: 5 }

/**
 * More than twice the limit of processor time, so that a busy computer does not end jobs that are not too slow by
 * themselves.
 */
const CLOCK_LIMIT_MS = 30_000

/**
 * Creates the pool of a renderer. By default there are two processes more than processors: one for new owners, and one
 * for owners of quick jobs. `createJobQueue` describes this.
 */
export function createRenderPool(options: Omit<RendererOptions, 'findShare' | 'pool'>): RenderPool {
  const { processes = availableParallelism() + 2, timeoutMs = CLOCK_LIMIT_MS, memoryLimitMb = 1024, log } = options
  const { maxQueue = 64, maxQueuePerOwner = 8, cpuLimitMs = CPU_LIMIT_MS } = options
  const { module = new URL('./worker.ts', import.meta.url) } = options
  return createPool<RenderJobs>({
    ...{ module, processes, timeoutMs, cpuLimitMs, maxQueue, maxQueuePerOwner, memoryLimitMb, log },
    // The largest image needs this much beyond what its job may use without a claim.
    memoryBytesOfShare: MAX_DECODING_BYTES - UNCLAIMED_BYTES,
    // An owner with this many jobs keeps all processors busy, and two processes stay free for other owners.
    maxRunningPerOwner: Math.max(1, processes - 2),
    slowJobMs: SLOW_JOB_MS,
    // While jobs of one network have a process, those of another do not wait for a start.
    keptReady: Math.min(2, processes),
    slowOwners: SLOW_OWNERS,
  })
}

/** Creates a renderer. The first job starts the first process. */
export function createRenderer(options: RendererOptions): Renderer {
  const pool = withShares<RenderJobs>(options.pool ?? createRenderPool(options), options.findShare)
  const drawIn = (priority: Priority): Drawer => ({
    print: (job, outDir, options) =>
      pool.run('print', { job, outDir }, { ...options, priority, againAfterDeath: true }),
    preview: (job, options) => pool.run('preview', job, { ...options, priority, againAfterDeath: true }),
  })
  const selfTest = () => pool.run('preview', SELF_TEST, { isFirst: true })
  return {
    inspect: ({ path }, options) => acceptOrRefuse(pool.run('inspect', { path }, options), BLAMED_IMAGE),
    inspectFont: (file, options) => acceptOrRefuse(pool.run('inspectFont', file, options), BLAMED_FONT),
    inspectProfile: ({ path }, options) =>
      acceptOrRefuse(pool.run('inspectProfile', { path }, options), BLAMED_PROFILE),
    ...drawIn('interactive'),
    thumbnail: (job, options) =>
      acceptOrRefuse(pool.run('thumbnail', job, { ...options, againAfterDeath: true }), BLAMED_IMAGE),
    sheet: (job, options) => pool.run('sheet', job, { ...options, againAfterDeath: true }),
    mergeSheets: (job, options) => pool.run('mergeSheets', job, { ...options, againAfterDeath: true }),
    mergePrintFiles: (job, outDir, options) =>
      pool.run('mergePrintFiles', { job, outDir }, { ...options, againAfterDeath: true }),
    printPage: (job, options) => pool.run('printPage', job, { ...options, againAfterDeath: true }),
    textHeights: (layers, options) => pool.run('textHeights', { layers }, { ...options, againAfterDeath: true }),
    requireRoom: async (owner) => {
      if (!(await pool.hasRoom(owner))) throw new RenderQueueFull()
    },
    inBackground: drawIn('background'),
    warmUp: () => pool.run('warmUp', undefined as never, { isFirst: true }),
    isWorking: createSelfCheck({ run: selfTest, lastDoneAt: pool.lastDoneAt }),
    load: pool.load,
    close: () => pool.close(),
  }
}

const AREA = { widthMm: 85, heightMm: 55, bleedMm: 3, safeMarginMm: 3, targetDpi: 300, required: true }
const TEXT = { x: 10, y: 10, width: 60, height: 20, text: 'Self test', fontFamily: 'Inter', fontSizePt: 14 }

const SELF_TEST: PreviewJob = {
  ...{ printAreaId: 'front', widthPx: 64, format: 'webp', images: {} },
  printAreas: [{ id: 'front', name: 'Front', ...AREA }],
  document: normalizeDocument({
    version: 1,
    placements: [{ printAreaId: 'front', layers: [{ id: 'text', type: 'text', ...TEXT }] }],
  }),
}

/**
 * The code and detail for a client whose file crashed the process, exceeded the memory or took too long. Uploading the
 * same file again has the same result.
 */
type Blame<Code> = Readonly<Record<'crash' | 'memory' | 'timeout', readonly [code: Code, detail: string]>>

const BLAMED_IMAGE: Blame<AssetRefusal> = {
  crash: ['asset_unreadable', 'The image cannot be decoded.'],
  memory: ['asset_too_large', 'Decoding the image takes too much memory.'],
  timeout: ['asset_too_large', 'Decoding the image takes too long.'],
}

const BLAMED_FONT: Blame<FontRefusal> = {
  crash: ['font_unreadable', 'The service cannot draw text with the font.'],
  memory: ['font_too_large', 'Drawing with the font takes too much memory.'],
  timeout: ['font_too_complex', 'Laying out and drawing texts in the font takes too long.'],
}

const UNUSABLE_PROFILE = ['color_profile_unreadable', 'The profile cannot convert colours.'] as const
const BLAMED_PROFILE: Blame<ProfileRefusal> = {
  crash: UNUSABLE_PROFILE,
  memory: UNUSABLE_PROFILE,
  timeout: UNUSABLE_PROFILE,
}

async function acceptOrRefuse<Info>(examining: Promise<Examined<Info>>, blame: Blame<string>): Promise<Info> {
  const examined = await examining.catch((error: unknown) => {
    if (!(error instanceof RenderFailed) || error.cause === 'error' || error.cause === 'unavailable') throw error
    const fault = renderFaultOf(error)
    const [code, detail] = blame[fault === 'timeout' || fault === 'memory' ? fault : 'crash']
    return { refused: { code, detail } }
  })
  if ('info' in examined) return examined.info
  throw new Refused(examined.refused.code, examined.refused.detail)
}
