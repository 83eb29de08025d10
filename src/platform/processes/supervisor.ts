import cluster, { type Worker } from 'node:cluster'
import pTimeout from 'p-timeout'
import type { Log } from '../telemetry/log.ts'
import { type Channel, createChannel } from './channel.ts'

/** Time for a process from its start until it serves requests. A busy computer needs many seconds. */
const START_MS = 120_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 30_000
/**
 * Limit of the JavaScript heap of a process. Without a limit, V8 collects garbage only after the heap has taken much of a
 * large machine: two processes that read large bodies then keep 1.3 GB, of which they need a quarter.
 */
const HEAP_MIB = 768
/** A process that has run for this time starts again after FIRST_PAUSE_MS. */
const STEADY_MS = 60_000

/** One API process, as the main process sees it. */
export interface Peer {
  /** Its number, from 1. A process that replaces another one has the same number. */
  number: number
  channel: Channel
}

export interface SupervisorOptions {
  count: number
  /** The module that the processes run. */
  module: string
  /** Variables to add to the environment of the processes. */
  env: Record<string, string>
  log: Log
  /** Adds what this process handles to the connection of a new process. Returns what to do when that process has ended. */
  connect(peer: Peer): () => void
  /** Called when a process serves requests, with what it reported. */
  onServing(served: unknown): void
  /** For tests: replaces `START_MS`. */
  startMs?: number
}

export interface Supervisor {
  /** Allows the processes to open the database and to serve requests. */
  begin(input: unknown): void
  /**
   * Waits until all processes serve requests, or until the time for a start is over and some do. Returns the number of
   * those that do.
   *
   * @throws what a process reported if it cannot start
   */
  untilServing(): Promise<number>
  /** The processes that serve requests. */
  serving(): Peer[]
  isComplete(): boolean
  /** How often a process was replaced. */
  restarts(): number
  /**
   * Ends all processes, after they have completed their requests.
   *
   * @param input what to tell them
   * @param withinMs processes that run after this time are killed
   */
  stop(input: unknown, withinMs: number): Promise<void>
}

interface Member extends Peer {
  worker: Worker
  isServing: boolean
}

export const BEGIN = 'begin'
export const SERVING = 'serving'
export const REFUSED = 'refused'
export const COMPLETE = 'complete'
export const STOP = 'stop'

/** Why a process cannot start, such as an invalid setting. */
export interface Refusal {
  variable: string
  problem: string
}

/** A process reported that it cannot start. A restart would not help. */
export class StartRefused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`${refusal.variable} ${refusal.problem}`)
    this.refusal = refusal
  }
}

/**
 * Runs API processes on one port. A process that ends is replaced. If this process ends, the others end too.
 */
export function startSupervisor(options: SupervisorOptions): Supervisor {
  const { count, log, startMs = START_MS } = options
  const members = new Map<number, Member>()
  const first = Promise.withResolvers<number>()
  first.promise.catch(() => undefined)
  const begun = Promise.withResolvers<unknown>()
  let restarts = 0
  let isStopping = false
  let hasBegun = false
  let hasStarted = false
  const timers = new Set<NodeJS.Timeout>()
  const serving = (): Member[] => [...members.values()].filter(({ isServing }) => isServing)
  const isComplete = (): boolean => serving().length === count

  // Only matters where processes cannot share a port.
  cluster.schedulingPolicy = cluster.SCHED_RR
  const execArgv = [...process.execArgv, `--max-old-space-size=${HEAP_MIB}`]
  // Results of drawing contain bytes, which JSON does not have.
  cluster.setupPrimary({ exec: options.module, serialization: 'advanced', execArgv })

  const tellAll = (): void => {
    for (const { channel } of serving()) channel.tell(COMPLETE, isComplete())
  }
  const later = (ms: number, work: () => void): NodeJS.Timeout => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
    return timer
  }

  const start = (number: number, pauseMs: number): void => {
    if (isStopping) return
    const startedAt = performance.now()
    // The settings apply to the processes that are started from now on.
    cluster.setupPrimary({ args: [String(number)] })
    const worker = cluster.fork(options.env)
    const channel = createChannel({
      // Without a callback, an error of a process that has just ended would be an event of the worker.
      send: (message) => worker.process.send?.(message, undefined, undefined, () => undefined),
      log,
    })
    const member: Member = { number, channel, worker, isServing: false }
    members.set(number, member)
    const disconnect = options.connect(member)
    worker.on('message', (message) => channel.receive(message))
    worker.on('error', (error) => log.debug({ err: error, number }, 'a message to an API process failed'))
    let overdue: NodeJS.Timeout | undefined
    channel.handle(BEGIN, () => begun.promise)
    // The time does not include the start and the migration of the database, which take as long as they need.
    void begun.promise.then(() => {
      if (worker.isDead()) return
      overdue = later(startMs, () => {
        log.error({ number, afterMs: startMs }, 'an API process did not start in time and is killed')
        worker.process.kill('SIGKILL')
      })
    })
    channel.handle(SERVING, (served: unknown) => {
      member.isServing = true
      options.onServing(served)
      log.info({ number, pid: worker.process.pid }, 'an API process serves requests')
      clearTimeout(overdue)
      tellAll()
      if (isComplete()) {
        hasStarted = true
        first.resolve(count)
      }
    })
    channel.handle(REFUSED, (refusal: Refusal) => {
      const error = new StartRefused(refusal)
      if (hasStarted) log.error({ number, reason: error.message }, 'an API process cannot start')
      // The service ends, so no process is replaced.
      else isStopping = true
      first.reject(error)
    })
    worker.once('exit', (code, signal) => {
      clearTimeout(overdue)
      channel.end()
      disconnect()
      members.delete(number)
      if (isStopping) return
      tellAll()
      restarts += 1
      const ranMs = performance.now() - startedAt
      const nextMs = ranMs > STEADY_MS ? FIRST_PAUSE_MS : pauseMs
      log.error(
        { number, code, signal, ranMs: Math.round(ranMs), restartInMs: nextMs },
        'an API process ended unexpectedly and is being replaced',
      )
      later(nextMs, () => start(number, Math.min(2 * nextMs, LONGEST_PAUSE_MS)))
    })
  }
  for (let number = 1; number <= count; number += 1) start(number, FIRST_PAUSE_MS)

  const stopOne = async ({ worker, channel }: Member, input: unknown, withinMs: number): Promise<void> => {
    const exited = new Promise<void>((resolve) => {
      worker.once('exit', () => resolve())
    })
    if (!hasBegun) {
      // The process has no database and no requests, and may still be loading its modules.
      worker.process.kill('SIGKILL')
      await exited
      return
    }
    channel.tell(STOP, input)
    await pTimeout(exited, { milliseconds: withinMs, message: false })
    if (worker.isDead()) return
    log.warn({ pid: worker.process.pid }, 'an API process did not stop in time and is killed')
    worker.process.kill('SIGKILL')
    await exited
  }

  return {
    begin: (input) => {
      hasBegun = true
      begun.resolve(input)
    },
    untilServing: () => {
      // Some processes are enough to serve requests.
      later(startMs, () => {
        const { length } = serving()
        hasStarted ||= length > 0
        if (length > 0) first.resolve(length)
        else first.reject(new Error(`no API process served requests within ${startMs / 1_000} s`))
      })
      return first.promise
    },
    serving,
    isComplete,
    restarts: () => restarts,
    stop: async (input, withinMs) => {
      isStopping = true
      for (const timer of timers) clearTimeout(timer)
      await Promise.all([...members.values()].map((member) => stopOne(member, input, withinMs)))
    },
  }
}
