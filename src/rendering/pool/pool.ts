import type { Awaitable } from '../../platform/awaitable.ts'
import { shareOf } from '../../platform/fair-share.ts'
import { traced } from '../../platform/telemetry/span.ts'
import { RenderFailed, type RenderFailure, RenderQueueFull } from '../errors.ts'
import { type Child, type ChildOptions, startChild } from './child.ts'
import { createJobQueue, type JobQueueOptions, type Priority } from './job-queue.ts'
import { createMemoryBudget } from './memory-budget.ts'
import type { JobHandlers, JobInput, JobOutput, JobRequest } from './messages.ts'
import { networkOfJob } from './standing.ts'

/**
 * Options of a pool. A process starts when a job needs it. If `maxQueuePerOwner` jobs of an owner are waiting, the pool
 * rejects further jobs of this owner. If `maxQueue` jobs of a priority are waiting, the pool rejects a job of the owner
 * with the most waiting jobs.
 */
export type PoolOptions = Omit<ChildOptions, 'memory'> &
  JobQueueOptions & {
    /** The most memory that jobs of one share claim together, in all processes (`withPoolMemory`). */
    memoryBytesOfShare: number
    /**
     * The number of processes that stay running while no jobs wait, until the pool has been idle for `idleMs`. Then one
     * process stays.
     */
    keptReady?: number
    /** Time without jobs, other than self-checks, after which the pool ends all processes but one. Defaults to 5 minutes. */
    idleMs?: number
    /**
     * How slow owners get processes of lower priority than others. By default, they share those of others. Time without such
     * a job after which these processes end, because they keep their priority. Defaults to a minute.
     */
    slowOwners?: LowPriority & { keptMs?: number }
  }

/** The niceness of a process, and how many times the time limit of its jobs is as long as that of others. */
type LowPriority = Parameters<Child['lowerPriority']>[0]

export type RunOptions = {
  /** Defaults to `interactive`. */
  priority?: Priority
  /** The user whose job this is. The pool serves owners in rotation. */
  owner?: string | undefined
  /** The share of the owner. Defaults to `shareOf`, for which guests of one network have one share together. */
  share?: string | undefined
  /**
   * Removes the job if it is still waiting, which rejects with `RenderFailed` (`unavailable`). A running job continues.
   */
  signal?: AbortSignal | undefined
  /**
   * Whether the job runs once more if its process dies, because another cause than the job is possible. Use this option
   * only for idempotent jobs.
   */
  againAfterDeath?: boolean
  /**
   * Called when a process takes the job, before the job runs. If this function rejects, the job does not run and
   * rejects with the same error.
   */
  onStart?: (() => Promise<void>) | undefined
  /**
   * Puts the job before all others, even if the queue is full. Used for self-checks of the pool, which have no content of
   * customers.
   */
  isFirst?: boolean
}

export type Pool<Handlers extends JobHandlers> = {
  /** Runs one job in a child process. Rejects with `RenderFailed` or `RenderQueueFull`. */
  run<Kind extends keyof Handlers & string>(
    kind: Kind,
    input: JobInput<Handlers[Kind]>,
    options?: RunOptions,
  ): Promise<JobOutput<Handlers[Kind]>>
  /**
   * Whether a further interactive job of an owner would be accepted, if its owner already has some. Preparing a job may
   * take longer than asking.
   */
  hasRoom(owner: string): Awaitable<boolean>
  /** Counts the jobs that have not ended, by priority. A job whose process is being prepared is running. */
  load(): JobLoad
  /** Returns when a job last ended with a result, as a value of `performance.now()`. */
  lastDoneAt(): number
  /** Rejects new and waiting jobs, waits for running jobs, then ends the processes. */
  close(): Promise<void>
}

export type JobLoad = Record<Priority, { waiting: number; running: number }>

type Job = PromiseWithResolvers<unknown> & {
  request: JobRequest
  priority: Priority
  owner: string | undefined
  share: string | undefined
  onStart: (() => Promise<void>) | undefined
  triesLeft: number
  /** Whether the client has disconnected. If so, the job does not run again after an interruption. */
  isAbandoned: boolean
  interruptions: number
  cpuMs: () => number
  hasLowPriority: boolean
}

/** For how many owners the pool remembers which process served them last. Forgetting an owner only costs time. */
const REMEMBERED_OWNERS = 10_000

const IDLE_MS = 300_000

/** The interval at which the pool looks for a job to interrupt while jobs wait. Starting a process takes longer. */
const INTERRUPT_AFTER_MS = 250

/**
 * The niceness of processes other than the reserved one: about a third of the processor time of processes that want it
 * at the same time.
 */
const SHARED_NICENESS = 5
const SLOW_KEPT_MS = 60_000

/**
 * Pauses between failed starts, in milliseconds. If a start fails after the last pause, the pool rejects the waiting
 * jobs, because the cause may last.
 */
const START_PAUSES_MS = [100, 400]

/**
 * Creates a pool of child processes. Each process runs one job at a time. A job that hangs, crashes or exceeds its
 * memory ends only its own process.
 *
 * The reserved process has the priority of this process, and other processes have a lower one. With `slowOwners`, those of
 * slow owners have the lowest: a process that takes such a job keeps this priority, takes jobs of others only if no further
 * process can start, and ends when slow owners have had no job for some time.
 */
export function createPool<Handlers extends JobHandlers>(options: PoolOptions): Pool<Handlers> {
  const { keptReady = 0, idleMs = IDLE_MS, slowOwners } = options
  const memory = createMemoryBudget(options.memoryBytesOfShare)
  const children = new Set<Child>()
  /** The process for quick jobs of known owners, as `createJobQueue` describes. A pool of one process has none. */
  let reserved: Child | undefined
  /** Processes with the priority of slow owners. */
  const forSlow = new Set<Child>()
  /** As many as slow owners may use beside others. */
  const mostForSlow = Math.max(1, options.processes - 2)
  let endingSlow: NodeJS.Timeout | undefined
  const queue = createJobQueue<Job>(options)
  let starting = 0
  let failedStarts = 0
  let hasStarted = false
  /** Runs until the pool has been idle. Undefined while it is, and before the first job. */
  let idle: NodeJS.Timeout | undefined
  let pause: NodeJS.Timeout | undefined
  let isClosed = false
  let lastDoneAt = Number.NEGATIVE_INFINITY
  const servedBy = new Map<string, Child>()
  const waitingChecks = new Set<Job>()
  /** Processes that have taken a job which is still being prepared (`onStart`). */
  const taken = new Set<Child>()
  const runningOn = new Map<Job, Child>()
  const unfinished = new Set<Job>()
  let interrupting: NodeJS.Timeout | undefined
  const interrupted = new WeakSet<Child>()

  const startOne = () => {
    starting += 1
    const isLast = children.size === options.processes - 1
    const isReserved = reserved === undefined && options.processes > 1 && (isLast || queue.wantsReserved())
    const settings = isReserved ? { ...options, memory } : { ...options, memory, niceness: SHARED_NICENESS }
    const child = startChild(settings, {
      onReady: () => {
        starting -= 1
        failedStarts = 0
        hasStarted = true
        dispatch()
      },
      onGone: ({ wasReady }) => {
        children.delete(child)
        forSlow.delete(child)
        if (reserved === child) reserved = undefined
        for (const [owner, server] of servedBy) if (server === child) servedBy.delete(owner)
        if (isClosed) return
        if (!wasReady) {
          starting -= 1
          afterFailedStart()
        }
        dispatch()
      },
    })
    children.add(child)
    if (isReserved) reserved = child
  }

  const afterFailedStart = () => {
    // Another process started at the same time and has already failed, so a pause is running.
    if (pause !== undefined) return
    const pauseMs = START_PAUSES_MS[failedStarts]
    failedStarts = pauseMs === undefined ? 0 : failedStarts + 1
    if (pauseMs === undefined) {
      // The flag is reset so that the pool starts no process until the next job needs one.
      hasStarted = false
      // If another process works, it will take the waiting jobs, so they are rejected only if there is none.
      if (children.size === starting) refuseWaiting('No render process could be started')
      return
    }
    pause = setTimeout(() => {
      pause = undefined
      dispatch()
    }, pauseMs)
  }

  const refuseWaiting = (message: string) => {
    waitingChecks.clear()
    for (const job of queue.drain()) job.reject(new RenderFailed('unavailable', message))
  }

  const isIdle = (child: Child) => child.isFree() && !taken.has(child)

  function dispatch() {
    if (isClosed) return
    for (;;) {
      const free = Array.from(children).filter(isIdle)
      const onlyReserved = free.length === 1 && free[0] === reserved
      // If no further process can start, others use those of slow owners.
      const canStart = pause === undefined && (starting > 0 || children.size < options.processes)
      const onlyForSlow = canStart && free.every((child) => forSlow.has(child))
      const ready = children.size - starting
      const mayUseReserved = queue.reservation()
      const job = free.length === 0 ? undefined : queue.take({ ready, onlyReserved, onlyForSlow })
      if (job === undefined) break
      void serve(childFor(job, free, mayUseReserved), job)
    }
    // A waiting self-check needs no further process, because a running process will take it.
    const checks = children.size > 0 ? waitingChecks.size : 0
    const isWanted = () =>
      starting < queue.startable() - checks || (hasStarted && idle !== undefined && children.size < keptReady)
    while (pause === undefined && isWanted() && children.size < options.processes) startOne()
    if (queue.startable() > 0) interrupting ??= setTimeout(interruptForOthers, INTERRUPT_AFTER_MS)
  }

  // Interrupts a job for an owner with less work. Nothing is known about a new owner, so several owners together can have
  // all processes for a short time.
  function interruptForOthers() {
    interrupting = undefined
    if (isClosed || queue.startable() === 0) return
    const isOn = (process: Child | undefined) => Array.from(runningOn).find(([, child]) => child === process)?.[0]
    // A process that was interrupted may take a while to end, and only then its place is free.
    const isInterrupting = runningOn.values().some((child) => interrupted.has(child))
    const heavy = isInterrupting
      ? undefined
      : queue.jobToInterrupt(options.processes > 1 ? { job: isOn(reserved) } : undefined)
    const child = heavy === undefined ? undefined : runningOn.get(heavy)
    if (heavy !== undefined && child !== undefined && !taken.has(child)) {
      interrupted.add(child)
      heavy.interruptions += 1
      child.interrupt()
    }
    interrupting = setTimeout(interruptForOthers, INTERRUPT_AFTER_MS)
  }

  /** Postpones the end of the processes that an idle pool does not need. */
  function noteUse() {
    clearTimeout(idle)
    idle = setTimeout(shrink, idleMs).unref()
  }

  function shrink() {
    if (unfinished.size > 0) {
      noteUse()
      return
    }
    idle = undefined
    const free = Array.from(children).filter((child) => child.isFree())
    const rankOf = (child: Child) => (forSlow.has(child) ? 2 : Number(child === reserved))
    const [, ...rest] = free.sort((a, b) => rankOf(a) - rankOf(b))
    for (const child of rest) void child.end()
  }

  /**
   * Chooses a free process for a job. Slow owners have processes of lower priority, which others use last. Of the rest,
   * prefers the process that last worked for the owner, because it may have cached the fonts and texts of the owner. The
   * reserved process comes last, or before those of slow owners if the job may use it.
   */
  function childFor(job: Job, free: readonly Child[], mayUseReserved: (job: Job) => boolean): Child {
    const { owner } = job
    const isSlow = slowOwners !== undefined && queue.isSlow(job)
    const shared = free.filter((child) => child !== reserved)
    const suitable = shared.filter((child) => forSlow.has(child) === isSlow)
    const known = owner === undefined ? undefined : servedBy.get(owner)
    const isKnown = known !== undefined && suitable.includes(known)
    const spare = free.find((child) => child === reserved && mayUseReserved(job))
    const child = isKnown ? known : ((suitable[0] ?? spare ?? shared[0] ?? free[0]) as Child)
    if (isSlow) useForSlow(child, slowOwners)
    job.hasLowPriority = forSlow.has(child)
    if (owner !== undefined) {
      if (servedBy.size >= REMEMBERED_OWNERS) servedBy.clear()
      servedBy.set(owner, child)
    }
    return child
  }

  function useForSlow(child: Child, priority: LowPriority): void {
    endForSlowLater()
    if (forSlow.has(child)) return
    forSlow.add(child)
    child.lowerPriority(priority)
  }

  /** Ends processes of slow owners, unless a job of theirs begins or ends in the meantime. */
  function endForSlowLater(): void {
    clearTimeout(endingSlow)
    endingSlow = setTimeout(() => {
      for (const child of forSlow) if (isIdle(child)) void child.end()
      if (forSlow.size > 0) endForSlowLater()
    }, slowOwners?.keptMs ?? SLOW_KEPT_MS).unref()
  }

  async function prepare(child: Child, onStart: () => Promise<void>): Promise<void> {
    taken.add(child)
    try {
      await onStart()
    } finally {
      taken.delete(child)
    }
    if (!child.isFree()) throw new RenderFailed('killed', 'The process ended before its job began')
  }

  async function serve(child: Child, job: Job): Promise<void> {
    job.triesLeft -= 1
    waitingChecks.delete(job)
    const { interruptions } = job
    let wasInterrupted = false
    job.cpuMs = () => 0
    runningOn.set(job, child)
    try {
      if (job.onStart !== undefined) await prepare(child, job.onStart)
      job.cpuMs = child.cpuMs
      job.resolve(await child.run(job.request, networkOfJob(job) ?? ''))
      lastDoneAt = performance.now()
    } catch (error) {
      wasInterrupted = job.interruptions > interruptions && isDeath(error) && !isClosed
      if (wasInterrupted && !job.isAbandoned) {
        job.triesLeft += 1
        queue.add(job)
      } else if (wasInterrupted) job.reject(new RenderQueueFull())
      else if (job.triesLeft > 0 && isDeath(error) && !isClosed) queue.putBack(job)
      else job.reject(error)
    }
    runningOn.delete(job)
    queue.end(job, { wasInterrupted })
    if (forSlow.size > mostForSlow && forSlow.has(child) && isIdle(child)) void child.end()
    else if (forSlow.has(child) && queue.isSlow(job)) endForSlowLater()
    dispatch()
  }

  const dropWith = (signal: AbortSignal, job: Job) => {
    const drop = () => {
      job.triesLeft = 0
      job.isAbandoned = true
      if (queue.remove(job)) job.reject(abandonedJob())
    }
    signal.addEventListener('abort', drop, { once: true })
  }

  const run: Pool<Handlers>['run'] = (kind, input, options = {}) => {
    const attributes = { 'platen.render.kind': kind, 'platen.render.priority': options.priority ?? 'interactive' }
    return traced(`render ${kind}`, { attributes }, () => runOne(kind, input, options))
  }

  const runOne: Pool<Handlers>['run'] = (kind, input, options = {}) => {
    const { priority = 'interactive', owner, signal, onStart, againAfterDeath = false, isFirst = false } = options
    const { share = owner && shareOf(owner) } = options
    if (isClosed) return Promise.reject(new RenderFailed('unavailable', 'The renderer is closed'))
    if (signal?.aborted) return Promise.reject(abandonedJob())
    const job: Job = {
      ...Promise.withResolvers<unknown>(),
      request: { kind, input, isTrusted: isFirst },
      priority,
      owner,
      share,
      onStart,
      triesLeft: againAfterDeath ? 2 : 1,
      isAbandoned: false,
      interruptions: 0,
      cpuMs: () => 0,
      hasLowPriority: false,
    }
    unfinished.add(job)
    const forget = () => unfinished.delete(job)
    job.promise.then(forget, forget)
    if (signal !== undefined) dropWith(signal, job)
    if (isFirst) waitingChecks.add(job)
    else noteUse()
    if (isFirst) queue.putBack(job)
    else queue.add(job)
    dispatch()
    // The surplus is determined after `dispatch`, because a job that has started must not be rejected.
    const surplus = isFirst ? undefined : queue.surplusAfter(job, starting)
    if (surplus !== undefined && queue.remove(surplus)) surplus.reject(new RenderQueueFull())
    return job.promise as Promise<JobOutput<Handlers[typeof kind]>>
  }

  const countOf = (priority: Priority) => {
    const jobs = Array.from(unfinished).filter((job) => job.priority === priority)
    const running = jobs.filter((job) => runningOn.has(job)).length
    return { waiting: jobs.length - running, running }
  }

  const close = async () => {
    isClosed = true
    for (const timer of [pause, interrupting, idle, endingSlow]) clearTimeout(timer)
    refuseWaiting('The renderer is closed')
    await Promise.all(Array.from(children, (child) => child.end()))
  }

  const load = () => ({ interactive: countOf('interactive'), background: countOf('background') })
  const hasRoom = (owner: string) => queue.hasRoom(owner, starting)
  return { run, hasRoom, load, lastDoneAt: () => lastDoneAt, close }
}

function abandonedJob(): RenderFailed {
  return new RenderFailed('unavailable', 'The job was cancelled while it waited')
}

const DEATHS: ReadonlySet<RenderFailure> = new Set(['crash', 'memory', 'killed'])

function isDeath(error: unknown): boolean {
  return error instanceof RenderFailed && DEATHS.has(error.cause)
}
