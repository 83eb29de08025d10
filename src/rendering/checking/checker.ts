import { availableParallelism } from 'node:os'
import type { DocumentProblem } from '../../drawing/index.ts'
import { RenderFailed } from '../errors.ts'
import type { Priority } from '../pool/job-queue.ts'
import { createPool } from '../pool/pool.ts'
import { createSelfCheck } from '../pool/self-check.ts'
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
  /** Child processes at most: two to four by the number of cores when left out. They start with the first jobs. */
  processes?: number
  /** Processor time for one document, in milliseconds. */
  deadlineMs?: number
  /** Time by the clock for one job, in milliseconds. */
  timeoutMs?: number
  /** Jobs that may wait for people, and as many in the background; one more is refused. */
  maxQueue?: number
  /** Of them, jobs of one owner. */
  maxQueuePerOwner?: number
  /** Resident memory of one child process, in MiB. */
  memoryLimitMb?: number
  /** For tests: the module that the processes run. */
  module?: URL
  log: { warn(fields: object, message: string): void }
}

/**
 * Checks in child processes. Each call rejects with `DocumentTooComplex`, `RenderFailed` or `RenderQueueFull`.
 * Nothing is tried in the process that calls.
 */
export interface DocumentChecks {
  /** Checks whether a document can be printed on a product. Answers the report (`PreflightReport`) as JSON. */
  preflight(job: PreflightJob, options?: JobOptions): Promise<string>
  /** Checks a document that is valid otherwise for too many dashes; see `checkDashes` of `drawing`. */
  checkDashes(job: Pick<CheckedDocument, 'documentJson'>, options?: JobOptions): Promise<DocumentProblem[]>
  /** Hex SHA-256 of everything that determines a design's print file; see `contentHash` in content-hash.ts. */
  contentHash(job: ContentHashJob, options?: JobOptions): Promise<string>
  /**
   * Checks a document with each of several sets of values, in several jobs: each has the deadline of one document, and
   * other owners have their turn between them.
   */
  checkValues(job: ValuesJob, options?: JobOptions): Promise<ValuesOutcome>
}

/** Opens customers' fonts and lays their texts out, for people who wait, apart from the processes that draw. */
export interface Checker extends DocumentChecks {
  /** The same for jobs, which come after people; see `createJobQueue`. */
  inBackground: DocumentChecks
  /** Starts one process ahead of the first job. */
  warmUp(): Promise<void>
  /** Finds out whether the processes start and lay text out; see `createSelfCheck`. */
  isWorking(): Promise<boolean>
  /** Refuses new and waiting jobs, lets running ones end, ends the processes. */
  close(): Promise<void>
}

/** What a document had too much of: see `DocumentTooComplex`. */
export type Excess = 'time' | 'memory' | 'fonts' | 'crash'

/** Laying a document out took more than one document may take, or ended its process. The API is not affected. */
export class DocumentTooComplex extends Error {
  override readonly name = 'DocumentTooComplex'
  readonly excess: Excess
  /** The layer at which it happened, counted through the whole document from 0. */
  readonly layer: number
  /** Of several sets of values the one, counted from 0. */
  readonly values: number

  constructor(excess: Excess, { layer, values }: ReturnType<typeof readStep>) {
    super(`The document has too much of ${excess}`)
    this.excess = excess
    this.layer = layer
    this.values = values
  }
}

/**
 * A document at its limits (20 000 characters, 200 layers) takes 0.1 to 0.5 s in the installed fonts, measured in a process
 * that has just started. Processor time, so that a busy machine does not make a document too complex.
 */
const DEADLINE_MS = 2_000
/** By the clock, a process that waits for a processor or a disk has longer. What it waited for is then not known. */
const CLOCK_MS = 30_000

/** A save takes a hundredth of it. Owners who are slower leave one process to the others for a while; see `createJobQueue`. */
const SLOW_JOB_MS = 300

/** Creates a checker. Nothing starts before the first job. */
export function createChecker(options: CheckerOptions): Checker {
  const { processes = Math.min(4, Math.max(2, availableParallelism())), deadlineMs = DEADLINE_MS, log } = options
  const { maxQueue = 500, maxQueuePerOwner = 100, memoryLimitMb = 640 } = options
  const { timeoutMs = CLOCK_MS } = options
  const { module = new URL('./worker.ts', import.meta.url) } = options
  const pool = createPool<CheckingJobs>({
    ...{ module, processes, maxQueue, maxQueuePerOwner, memoryLimitMb, timeoutMs, log },
    cpuLimitMs: deadlineMs,
    // Jobs take milliseconds. What native code may leak is seen in the memory of the process.
    jobsPerChild: 1_000_000,
    flags: ['--expose-gc'],
    keptReady: 1,
    // One is always free for others.
    maxRunningPerOwner: Math.max(1, processes - 1),
    slowJobMs: Math.min(SLOW_JOB_MS, deadlineMs / 2),
  })
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
    close: () => pool.close(),
  }
}

/** @param run rejects with a `DocumentTooComplex` that counts values from `first`, the position of the part's first ones */
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
  const answer = await checking.catch((error: unknown) => {
    throw explain(error, firstValues)
  })
  if ('result' in answer) return answer.result
  throw tooComplex('fonts', answer.tooManyFontBytes.step, firstValues)
}

/**
 * What is blamed on the document. A process that took too long by the clock alone may have had to wait, and one that was
 * killed from outside may only have been there when the machine ran out of memory.
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
