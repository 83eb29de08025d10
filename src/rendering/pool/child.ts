import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import type { Socket } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { dirname } from 'node:path'
import { RenderFailed, type RenderFailure } from '../errors.ts'
import type { MemoryBudget } from './memory-budget.ts'
import type { ChildMessage, JobReply, JobRequest, MemoryClaim, MemoryGranted, NumberedRequest } from './messages.ts'
import type { KillReason } from './watchdog.ts'

export type ChildOptions = {
  /** The module that the child process runs. The module calls `serveJobs`. */
  module: URL
  timeoutMs: number
  /**
   * The limit for the processor time of one job. Defaults to no limit. Unlike wall-clock time, processor time does not
   * depend on other load.
   */
  cpuLimitMs?: number
  memoryLimitMb: number
  /** The memory of all processes for what needs much. */
  memory: MemoryBudget
  /** The number of jobs after which a process is replaced, in case native code leaks memory. Defaults to 1000. */
  jobsPerChild?: number
  /** Added to the niceness of this process (0 to 19). The more, the more processor time is left to other processes. */
  niceness?: number
  /** Further command-line flags of Node.js. */
  flags?: readonly string[]
  log: { warn(fields: object, message: string): void }
}

/** A child process that runs one job at a time. After a failure, the pool does not use the process again. */
export type Child = {
  isFree(): boolean
  /** Runs a job of a share. Call this method only on a free child. Rejects with `RenderFailed`. */
  run(request: JobRequest, share: string): Promise<unknown>
  /** Returns the processor time that the last job has used so far, in milliseconds. */
  cpuMs(): number
  /**
   * Sets the `niceness` of `ChildOptions` to a higher value, which cannot be reduced again without privileges. The time
   * limit of further jobs is `timeFactor` times as long, because others are served first.
   */
  lowerPriority(lower: { niceness: number; timeFactor: number }): void
  /** Ends the process. The running job rejects with `killed`. */
  interrupt(): void
  /** Waits for the running job, if any, then ends the process. */
  end(): Promise<void>
}

type Listeners = {
  /** Called once, when the child can take its first job. If the child dies before this call, no job is the cause. */
  onReady: () => void
  /** Called once, when the child takes no more jobs. */
  onGone: (child: { wasReady: boolean }) => void
}

const JOBS_PER_CHILD = 1000
/**
 * A process that keeps more resident memory after a job is replaced. Together with the memory of the largest image, this is
 * below the limit of a process. The first jobs of a new process take several times as long.
 */
const MOST_KEPT_MB = 320
const MAX_NICENESS = 19
const STDERR_TAIL = 2000
/** The time limit for starting a process. A computer that needs longer would be too slow to draw. */
const START_TIMEOUT_MS = 30_000
/**
 * How long to wait for the end of a killed process. It ends at once, unless the kernel blocks it in a read or write.
 */
const DEATH_TIMEOUT_MS = 2_000

// The complete environment of a child. A process that decodes untrusted files must not get secrets, and settings or
// fonts of the computer must not change the output.
export const CHILD_ENV = {
  DISABLE_SYSTEM_FONTS_LOAD: '1',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  MALLOC_ARENA_MAX: '2',
  UV_THREADPOOL_SIZE: '2',
}

/**
 * V8 flags of a child. Without this flag, V8 runs a full garbage collection for every 64 MB of pixels, which takes a
 * fifth of the drawing time.
 */
export const CHILD_FLAGS = ['--external-memory-accounted-in-global-limit']

/** Starts a child process. If the system refuses to start it, `onGone` is called soon after. */
export function startChild(options: ChildOptions, { onReady, onGone }: Listeners): Child {
  const { log, memoryLimitMb, timeoutMs, memory, jobsPerChild = JOBS_PER_CHILD } = options
  const mostKeptMb = Math.min(MOST_KEPT_MB, memoryLimitMb / 2)
  let limitMs = timeoutMs
  let isReady = false
  let isGone = false
  let jobsStarted = 0
  /** The processor time of the last job that has ended. */
  let lastCpuMs: number | undefined
  let job: (PromiseWithResolvers<unknown> & { kind: string; share: string }) | undefined
  let timer: NodeJS.Timeout | undefined
  const exited = Promise.withResolvers<void>()

  const retire = () => {
    if (isGone) return
    isGone = true
    clearTimeout(timer)
    child?.kill('SIGKILL')
    for (const { giveBack } of claims.values()) giveBack()
    claims.clear()
    onGone({ wasReady: isReady })
  }

  const takeJob = () => {
    clearTimeout(timer)
    const taken = job
    job = undefined
    if (child !== undefined) unref(child)
    return taken
  }

  const fail = (cause: RenderFailure, message: string) => {
    const failed = takeJob()
    if (failed !== undefined || !isReady) log.warn({ cause, job: failed?.kind, stderr: stderr() }, message)
    retire()
    failed?.reject(new RenderFailed(cause, message, undefined, notes.stepOf(jobsStarted)))
  }

  /**
   * Kills the process, and fails the job only after the process has ended, because the caller may then reuse the output
   * folder.
   */
  const killThenFail = async (cause: RenderFailure, message: string) => {
    retire()
    const patience = setTimeout(exited.resolve, DEATH_TIMEOUT_MS)
    await exited.promise
    clearTimeout(patience)
    fail(cause, message)
  }

  const finish = (reply: JobReply) => {
    // The state of this process is unknown, so none of its results can be trusted.
    if (job === undefined || reply.number !== jobsStarted || !(reply.cpuMs >= 0)) {
      log.warn({ job: job?.kind }, 'a render process sent a reply to another job')
      return fail('crash', 'A render process sent a reply to another job')
    }
    const done = takeJob()
    lastCpuMs = reply.cpuMs
    // With an open claim, the process still decodes an image of this job, which has failed.
    if (jobsStarted >= jobsPerChild || reply.rssMb > mostKeptMb || claims.size > 0) retire()
    if (reply.ok) return done?.resolve(reply.value)
    const { message, systemCode } = reply
    // The caller may report another error to its client, so the original error is logged here.
    log.warn({ cause: 'error', job: done?.kind, systemCode, thrown: message }, 'A job threw')
    done?.reject(new RenderFailed('error', message, systemCode))
  }

  /** The claims for memory of the running job, with functions that give it back. */
  const claims = new Map<number, { isGranted: boolean; giveBack: () => void }>()

  const answerClaim = ({ claim, bytes }: MemoryClaim) => {
    claims.get(claim)?.giveBack()
    claims.delete(claim)
    if (bytes > 0 && job !== undefined) takeMemory(job.share, claim, bytes)
    // A process that only waits uses no processor time, and what it waits for may be slow.
    const held = Array.from(claims.values())
    if (held.length > 0 && !held.some(({ isGranted }) => isGranted)) pauseTime()
  }

  const takeMemory = (share: string, claim: number, bytes: number) => {
    const entry = { isGranted: false, giveBack: () => {} }
    claims.set(claim, entry)
    const grant = () => {
      entry.isGranted = true
      if (pausedAt !== undefined) limitTime(endsAt - pausedAt)
      child?.send({ granted: claim } satisfies MemoryGranted, () => undefined)
    }
    entry.giveBack = memory.take(share, bytes, grant)
  }

  /** When the time of the running job is over, as a value of `performance.now()`. */
  let endsAt = 0
  let pausedAt: number | undefined

  const limitTime = (ms: number) => {
    const running = job
    const isTooLong = () => void killThenFail('timeout', `A job took longer than ${limitMs} ms`)
    endsAt = performance.now() + ms
    pausedAt = undefined
    clearTimeout(timer)
    // If the API process itself was blocked, the reply may already be queued behind this timer. `setImmediate` lets
    // the reply arrive first.
    timer = setTimeout(() => setImmediate(() => running !== undefined && job === running && isTooLong()), ms)
  }

  const pauseTime = () => {
    clearTimeout(timer)
    pausedAt ??= performance.now()
  }

  const child = tryFork(options)
  const stderr = child === undefined ? () => '' : keepTail(child)
  const notes = readNotes(child)
  const isLate = `A render process took longer than ${START_TIMEOUT_MS} ms to start`
  timer = setTimeout(() => fail('timeout', isLate), START_TIMEOUT_MS)
  child?.on('message', (message: ChildMessage) => {
    // The process was killed while this reply was on its way, so its job has failed already.
    if (isGone) return
    if ('claim' in message) return answerClaim(message)
    if (!('ready' in message)) return finish(message)
    isReady = true
    clearTimeout(timer)
    unref(child)
    onReady()
  })
  child?.once('close', (code, signal) => {
    exited.resolve()
    if (!isGone)
      fail(notes.killed() ?? causeOfDeath(signal, stderr()), `A render process died (${signal ?? `exit code ${code}`})`)
  })
  child?.on('error', (error) => {
    if (child.pid === undefined) exited.resolve()
    fail('crash', `A render process could not be used: ${error.message}`)
  })
  if (child === undefined) {
    exited.resolve()
    process.nextTick(retire)
  }

  return {
    isFree: () => isReady && !isGone && job === undefined,
    run(request, share) {
      job = { ...Promise.withResolvers<unknown>(), kind: request.kind, share }
      const { promise } = job
      jobsStarted += 1
      lastCpuMs = undefined
      limitTime(limitMs)
      const unreachable = (error: Error) => fail('crash', `A render process could not be reached: ${error.message}`)
      if (child !== undefined) ref(child)
      try {
        child?.send({ ...request, number: jobsStarted } satisfies NumberedRequest, (error) => {
          if (error !== null) unreachable(error)
        })
      } catch (error) {
        // `send` throws if the input cannot be cloned.
        unreachable(error as Error)
      }
      return promise
    },
    cpuMs: () => lastCpuMs ?? notes.cpuMsOf(jobsStarted),
    lowerPriority: ({ niceness, timeFactor }) => {
      if (child !== undefined) makeNice(child, niceness)
      limitMs = timeFactor * timeoutMs
    },
    interrupt: () =>
      void killThenFail('killed', 'The pool interrupted a slow job because a job of another owner was waiting'),
    async end() {
      // Without a job, the process is retired at once. Otherwise it could take another one meanwhile.
      while (job !== undefined) await job.promise.catch(() => undefined)
      retire()
      if (child !== undefined) ref(child)
      await exited.promise
    },
  }

  /**
   * Starts the process. If memory, processes or file descriptors have run out, some calls of Node.js throw, and others
   * report the error later.
   */
  function tryFork(settings: ChildOptions): ChildProcess | undefined {
    try {
      const forked = forkChild(settings)
      if (settings.niceness !== undefined) makeNice(forked, settings.niceness)
      return forked
    } catch (error) {
      log.warn({ err: error }, 'A render process could not be started')
      return undefined
    }
  }
}

// Starts the process. While the child starts, it keeps the parent running, because a job waits for it.
function forkChild({ module, memoryLimitMb, cpuLimitMs = 0, flags = [] }: ChildOptions): ChildProcess {
  return fork(module, [String(memoryLimitMb), String(cpuLimitMs)], {
    env: { ...CHILD_ENV, ...sharedCompileCache() },
    execArgv: [`--max-old-space-size=${Math.floor(memoryLimitMb / 2)}`, ...CHILD_FLAGS, ...flags],
    serialization: 'advanced',
    // The last pipe is for the notes that `writeNote` writes.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
  })
}

function makeNice({ pid }: ChildProcess, niceness: number): void {
  if (pid === undefined) return
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, Math.min(MAX_NICENESS, getPriority() + niceness))
    } catch {
      // The thread has ended already, or the system has no priorities. Both do no harm.
    }
  }
}

/** Lists the threads of a process, because Linux has a priority for each. New threads get that of the one that starts them. */
function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return [pid]
  }
}

/**
 * Returns the setting for a shared compile cache. Compiling modules takes a quarter of the start of a child, and the
 * cache saves this time.
 */
function sharedCompileCache(): NodeJS.ProcessEnv {
  const dir = getCompileCacheDir()
  // Node.js creates a subfolder for each of its versions in the configured folder. `getCompileCacheDir` returns the
  // subfolder.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) }
}

// Lets the parent exit while the child is idle.
function unref(child: ChildProcess) {
  child.unref()
  child.channel?.unref()
}

function ref(child: ChildProcess) {
  child.ref()
  child.channel?.ref()
}

interface Notes {
  /** Returns the last step that a job reported. `job` is the number of the job, from 1. */
  stepOf(job: number): number | undefined
  /** Returns the processor time that a job has reported, in milliseconds. */
  cpuMsOf(job: number): number
  /** Returns the reason for which the process killed itself, if it did. */
  killed(): KillReason | undefined
}

/** Reads the notes that a child writes with `writeNote`. */
function readNotes(child: ChildProcess | undefined): Notes {
  let rest = ''
  let steps: { job: number; step: number } | undefined
  let cpu = { job: 0, ms: 0 }
  let reason: KillReason | undefined
  const read = (line: string) => {
    const [kind, first, second] = line.split(' ')
    if (kind === 'step') steps = { job: Number(first), step: Number(second) }
    if (kind === 'cpu') cpu = { job: Number(first), ms: Number(second) || 0 }
    if (kind === 'killed') reason = first === 'deadline' ? 'deadline' : 'memory'
  }
  // If file descriptors have run out, the pipe is missing.
  const pipe = child?.stdio?.[4] as Socket | null | undefined
  pipe?.setEncoding('utf8')
  pipe?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) read(line)
  })
  pipe?.on('error', () => undefined)
  pipe?.unref()
  return {
    stepOf: (job) => (steps?.job === job && steps.step >= 0 ? steps.step : undefined),
    cpuMsOf: (job) => (cpu.job === job ? cpu.ms : 0),
    killed: () => reason,
  }
}

function keepTail({ stderr }: ChildProcess): () => string {
  let tail = ''
  // If file descriptors have run out, the pipe is missing, although the declared type excludes that.
  if (stderr == null) return () => tail
  stderr.setEncoding('utf8')
  stderr.on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-STDERR_TAIL)
  })
  if ('unref' in stderr) (stderr as { unref(): void }).unref()
  return () => tail
}

function causeOfDeath(signal: NodeJS.Signals | null, stderr: string): RenderFailure {
  if (stderr.includes('heap out of memory')) return 'memory'
  return signal === 'SIGKILL' ? 'killed' : 'crash'
}
