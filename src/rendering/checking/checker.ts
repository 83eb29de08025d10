import { availableParallelism } from 'node:os'
import type { DocumentProblem } from '../../drawing/index.ts'
import type { FindShare } from '../../platform/fair-share.ts'
import { RenderFailed } from '../errors.ts'
import type { Priority } from '../pool/job-queue.ts'
import { createPool, type JobLoad, type Pool } from '../pool/pool.ts'
import { createSelfCheck } from '../pool/self-check.ts'
import { withShares } from '../pool/with-shares.ts'
import type { JobOptions } from '../renderer.ts'
import {
  type Bounded,
  type CheckedDocument,
  type CheckingJobs,
  type ContentHashJob,
  type PreflightJob,
  readStep,
  type ValuesJob,
  type ValuesOutcome,
} from './jobs.ts'

export interface CheckerOptions {
  /**
   * The most child processes. The default is four or five, depending on the number of cores. A process starts when a
   * job needs it.
   */
  processes?: number
  deadlineMs?: number
  /** Wall-clock limit for one job, in milliseconds. */
  timeoutMs?: number
  /** The most waiting jobs per priority. The checker rejects further jobs. */
  maxQueue?: number
  /** The most waiting jobs of one owner per priority. */
  maxQueuePerOwner?: number
  /** Finds the share of an owner. Default: `shareOf`. */
  findShare?: FindShare
  /** Limit for the resident memory of one child process, in MiB. */
  memoryLimitMb?: number
  /** For tests: the module that the processes run. */
  module?: URL
  /** The pool that runs the jobs. Default: an own one. */
  pool?: CheckPool | undefined
  log: { warn(fields: object, message: string): void }
}

/** The processes that lay out texts and check documents. */
export type CheckPool = Pool<CheckingJobs>

/**
 * Checks of documents, which run in child processes. Each call rejects with `DocumentTooComplex`, `RenderFailed` or
 * `RenderQueueFull`.
 */
export interface DocumentChecks {
  /** Checks whether a document can be printed on a product. Returns the report (`PreflightReport`) as JSON. */
  preflight(job: PreflightJob, options?: JobOptions): Promise<string>
  /** Checks whether an otherwise valid document has too many dashes, with the function `checkDashes` of `drawing`. */
  checkDashes(job: Pick<CheckedDocument, 'documentJson'>, options?: JobOptions): Promise<DocumentProblem[]>
  /**
   * Computes the hexadecimal SHA-256 of everything that determines the print file of a design, as content-hash.ts
   * describes.
   */
  contentHash(job: ContentHashJob, options?: JobOptions): Promise<string>
  /**
   * Checks a document with each of several sets of values, in several jobs. Each job has the deadline of one document,
   * and jobs of other owners can run between them.
   */
  checkValues(job: ValuesJob, options?: JobOptions): Promise<ValuesOutcome>
}

/**
 * Opens uploaded fonts and lays out texts for requests. The checking processes are separate from the rendering
 * processes, so that requests do not wait for print files.
 */
export interface Checker extends DocumentChecks {
  /** Runs the same checks at background priority, which `createJobQueue` describes. */
  inBackground: DocumentChecks
  warmUp(): Promise<void>
  /** Tells whether the processes start and lay out text. `createSelfCheck` describes the test. */
  isWorking(): Promise<boolean>
  /** Counts the jobs that have not ended, by priority. */
  load(): JobLoad
  /** Rejects new and waiting jobs, waits for running jobs, then ends the processes. */
  close(): Promise<void>
}

/** The limit that a document exceeded. `crash` means that its process died. */
export type Excess = 'time' | 'memory' | 'fonts' | 'crash'

/** The error for a document whose layout exceeded a limit or crashed its process. The API process is not affected. */
export class DocumentTooComplex extends Error {
  override readonly name = 'DocumentTooComplex'
  readonly excess: Excess
  /** The position of the layer in the whole document, from 0. */
  readonly layer: number
  /** The position of the set of values, from 0. */
  readonly values: number

  constructor(excess: Excess, { layer, values }: ReturnType<typeof readStep>) {
    super(`The document exceeds what one check may use (${excess})`)
    this.excess = excess
    this.layer = layer
    this.values = values
  }
}

/**
 * The limit is for processor time, because with a wall-clock limit, other load on the computer could make a document
 * too complex. A document at its limits (20,000 characters, 200 layers) takes 0.1 to 0.5 s with the installed fonts,
 * measured in a new process.
 */
const DEADLINE_MS = 2_000
/**
 * The limit for wall-clock time. It is longer than the limit for processor time, because a process may wait for a
 * processor or a disk through no fault of the document.
 */
const CLOCK_MS = 30_000

/**
 * A usual save takes a hundredth of this time. After a longer job of an owner, the queue reserves processes for other
 * owners, as `createJobQueue` describes.
 */
const SLOW_JOB_MS = 150

/** The memory for large fonts of one share in all processes. A job with more fonts runs alone. */
const FONT_BYTES_OF_SHARE = 256 * 1024 * 1024

/** Creates the pool of a checker. */
export function createCheckPool(options: Omit<CheckerOptions, 'findShare' | 'pool'>): CheckPool {
  const { processes = Math.min(5, Math.max(4, availableParallelism() + 1)), deadlineMs = DEADLINE_MS, log } = options
  const { maxQueue = 500, maxQueuePerOwner = 100, memoryLimitMb = 640 } = options
  const { timeoutMs = CLOCK_MS } = options
  const { module = new URL('./worker.ts', import.meta.url) } = options
  return createPool<CheckingJobs>({
    memoryBytesOfShare: FONT_BYTES_OF_SHARE,
    ...{ module, processes, maxQueue, maxQueuePerOwner, memoryLimitMb, timeoutMs, log },
    cpuLimitMs: deadlineMs,
    // Jobs take milliseconds, so replacing processes after a number of jobs would waste time. The memory limit detects
    // leaks of native code.
    jobsPerChild: 1_000_000,
    flags: ['--expose-gc'],
    keptReady: Math.min(2, processes),
    // At most all processes but one run jobs of the same owner, so that one stays free for other owners.
    maxRunningPerOwner: Math.max(1, processes - 1),
    slowJobMs: Math.min(SLOW_JOB_MS, deadlineMs / 8),
  })
}

/** Creates a checker. The first job starts the first process. */
export function createChecker(options: CheckerOptions): Checker {
  const pool = withShares<CheckingJobs>(options.pool ?? createCheckPool(options), options.findShare)
  const checksIn = (priority: Priority): DocumentChecks => {
    const run = { priority, againAfterDeath: true }
    return {
      preflight: (job, options) => explained(pool.run('preflight', job, { ...options, ...run })),
      checkDashes: (job, options) => explained(pool.run('checkDashes', job, { ...options, ...run })),
      contentHash: (job, options) => explained(pool.run('contentHash', job, { ...options, ...run })),
      checkValues: (job, options) =>
        inParts(job, (part, first) => explained(pool.run('checkValues', part, { ...options, ...run }), first)),
    }
  }
  const selfTest = () => pool.run('selfTest', undefined as never, { isFirst: true })
  return {
    ...checksIn('interactive'),
    inBackground: checksIn('background'),
    warmUp: selfTest,
    isWorking: createSelfCheck({ run: selfTest, lastDoneAt: pool.lastDoneAt }),
    load: pool.load,
    close: () => pool.close(),
  }
}

/**
 * Splits a job into parts that each respect the deadline.
 *
 * @param run runs a part. `first` is the position of its first set of values in the whole job, from which an error
 * counts the sets
 */
async function inParts(
  { values, work, faults: mostFaults, ...job }: ValuesJob,
  run: (part: ValuesJob, first: number) => Promise<ValuesOutcome>,
): Promise<ValuesOutcome> {
  const all: ValuesOutcome = { faults: [], work, isTooMuch: false }
  for (let found = 0; all.faults.length < values.length && found < mostFaults && !all.isTooMuch; ) {
    const first = all.faults.length
    const part = { ...job, values: values.slice(first), work: all.work, faults: mostFaults - found }
    const { faults, ...rest } = await run(part, first)
    all.faults.push(...faults)
    Object.assign(all, rest)
    found += faults.flat().length
  }
  return all
}

async function explained<Result>(checking: Promise<Bounded<Result>>, firstValues = 0): Promise<Result> {
  const result = await checking.catch((error: unknown) => {
    throw explain(error, firstValues)
  })
  if ('result' in result) return result.result
  throw tooComplex('fonts', result.tooManyFontBytes.step, firstValues)
}

/**
 * Translates a failure into `DocumentTooComplex` if the document caused it. A wall-clock timeout becomes `unavailable`,
 * because the process may only have waited. So does a kill by the system, because the computer may have run out of
 * memory.
 */
function explain(error: unknown, firstValues: number): unknown {
  if (!(error instanceof RenderFailed)) return error
  const { cause, step = 0 } = error
  switch (cause) {
    case 'deadline':
      return tooComplex('time', step, firstValues)
    case 'memory':
    case 'crash':
      return tooComplex(cause, step, firstValues)
    case 'timeout':
    case 'killed':
      return new RenderFailed('unavailable', error.message)
    default:
      return error
  }
}

function tooComplex(excess: Excess, step: number, firstValues: number): DocumentTooComplex {
  const { layer, values } = readStep(step)
  return new DocumentTooComplex(excess, { layer, values: firstValues + values })
}
