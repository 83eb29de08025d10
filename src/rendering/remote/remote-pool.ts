import { shareOf } from '../../platform/fair-share.ts'
import type { Channel } from '../../platform/processes/channel.ts'
import { RenderFailed, type RenderFailure, RenderQueueFull } from '../errors.ts'
import type { JobHandlers, JobInput, JobOutput } from '../pool/messages.ts'
import type { JobLoad, Pool, RunOptions } from '../pool/pool.ts'

/** The pools of a service, by name. */
export type PoolName = 'drawing' | 'checking'

/** A job as it is sent to the process that has the pool. */
export interface RemoteJob {
  pool: PoolName
  kind: string
  input: unknown
  options: Omit<RunOptions, 'signal' | 'onStart'>
  /** The number with which the pool asks whether the job may start. Undefined: it does not ask. */
  startId: number | undefined
}

export type RemoteOutcome =
  | { value: unknown }
  | { failure: { cause: RenderFailure; message: string; systemCode: string | undefined; step: number | undefined } }
  | { isFull: true }
  /** The function `onStart` rejected. */
  | { isStopped: true }

const RUN_JOB = 'rendering.run'
export const START_JOB = 'rendering.start'
const HAS_ROOM = 'rendering.hasRoom'

/** The question `Pool.hasRoom`, as it is sent to the process that has the pool. */
interface RoomQuestion {
  pool: PoolName
  owner: string
}

const NO_JOBS: JobLoad = { interactive: { waiting: 0, running: 0 }, background: { waiting: 0, running: 0 } }

/** Functions that a pool calls before it starts jobs of this process, by number. */
export interface Starts {
  add(onStart: () => Promise<void>): { id: number; error(): unknown; remove(): void }
  /** Handles `START_JOB`: returns whether the job may start. */
  run(id: number): Promise<boolean>
}

export function createStarts(): Starts {
  const waiting = new Map<number, { onStart: () => Promise<void>; error: unknown }>()
  let lastId = 0
  return {
    add: (onStart) => {
      lastId += 1
      const id = lastId
      const entry = { onStart, error: undefined as unknown }
      waiting.set(id, entry)
      return { id, error: () => entry.error, remove: () => waiting.delete(id) }
    },
    run: async (id) => {
      const entry = waiting.get(id)
      if (entry === undefined) return false
      try {
        await entry.onStart()
        return true
      } catch (error) {
        entry.error = error
        return false
      }
    },
  }
}

/** Creates a pool whose jobs run in the pool of another process. Closing it leaves that pool running. */
export function createRemotePool<Handlers extends JobHandlers>(
  pool: PoolName,
  channel: Pick<Channel, 'call'>,
  starts: Starts,
): Pool<Handlers> {
  let lastDoneAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  const send = async (job: RemoteJob, signal: AbortSignal | undefined): Promise<RemoteOutcome> => {
    if (isClosed || signal?.aborted === true) throw new RenderFailed('unavailable', 'The job was not sent')
    return channel.call<RemoteOutcome>(RUN_JOB, job, signal).catch((error: Error) => {
      throw new RenderFailed('unavailable', error.message)
    })
  }

  const run: Pool<Handlers>['run'] = async (kind, input, { signal, onStart, ...options } = {}) => {
    const { owner } = options
    const share = options.share ?? (owner && shareOf(owner))
    const start = onStart && starts.add(onStart)
    try {
      const outcome = await send({ pool, kind, input, options: { ...options, share }, startId: start?.id }, signal)
      if ('value' in outcome) {
        lastDoneAt = performance.now()
        return outcome.value as JobOutput<Handlers[typeof kind]>
      }
      if ('isStopped' in outcome) throw start?.error() ?? new RenderFailed('unavailable', 'The job did not start')
      throw errorOf(outcome)
    } finally {
      start?.remove()
    }
  }
  return {
    run,
    // If the other process does not answer, `run` fails and says so.
    hasRoom: (owner) => channel.call<boolean>(HAS_ROOM, { pool, owner } satisfies RoomQuestion).catch(() => true),
    // The process that has the pool counts its jobs.
    load: () => NO_JOBS,
    lastDoneAt: () => lastDoneAt,
    close: async () => {
      isClosed = true
    },
  }
}

class Stopped extends Error {}

/** Runs the jobs of another process in these pools, and answers its questions about them. */
export function serveRemotePools(
  pools: Readonly<Record<PoolName, unknown>>,
  other: Pick<Channel, 'handle' | 'call'>,
): void {
  const poolOf = (name: PoolName) => pools[name] as Pool<JobHandlers>
  const mayStart = (startId: number) => other.call<boolean>(START_JOB, startId).catch(() => false)
  other.handle(HAS_ROOM, async ({ pool, owner }: RoomQuestion) => poolOf(pool).hasRoom(owner))
  other.handle(RUN_JOB, async ({ pool, kind, input, options, startId }: RemoteJob, signal): Promise<RemoteOutcome> => {
    const onStart = async (): Promise<void> => {
      if (startId !== undefined && !(await mayStart(startId))) throw new Stopped()
    }
    const own = startId === undefined ? { signal } : { signal, onStart }
    const job = input as JobInput<JobHandlers[string]>
    return poolOf(pool)
      .run(kind, job, { ...options, ...own })
      .then((value) => ({ value }), outcomeOf)
  })
}

function outcomeOf(error: unknown): RemoteOutcome {
  if (error instanceof Stopped) return { isStopped: true }
  if (error instanceof RenderQueueFull) return { isFull: true }
  if (!(error instanceof RenderFailed)) throw error
  const { cause, message, systemCode, step } = error
  return { failure: { cause, message, systemCode, step } }
}

function errorOf(outcome: Exclude<RemoteOutcome, { value: unknown } | { isStopped: true }>): Error {
  if ('isFull' in outcome) return new RenderQueueFull()
  const { cause, message, systemCode, step } = outcome.failure
  return new RenderFailed(cause, message, systemCode, step)
}
