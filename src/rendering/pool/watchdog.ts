import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** The data of the watchdog thread. The constants `STATE_...` are indices of `state`. */
export type WatchdogData = {
  state: Int32Array
  limitBytes: number
  /** The limit for the processor time of one job, in milliseconds; 0 for no limit. */
  cpuLimitMs: number
  /** Time without a job after which the thread ends, in milliseconds. */
  idleMs: number
  parentPid: number
}

export const STATE_ACTIVITY = 0
export const STATE_JOB = 1
export const STATE_STEP = 2
const STATE_LENGTH = 3

export const WATCH_IDLE = 0
export const WATCH_BUSY = 1
/** No thread watches. The next job starts one. */
export const WATCH_ENDED = 2

/** A thread takes 6 MB. Starting one takes less than a millisecond, and 25 ms of the processor beside the job. */
const IDLE_MS = 30_000

/** The file descriptor of the pipe through which a child reports its steps and the reason for killing itself. */
const NOTES_FD = 4

/** The reason why the watchdog killed its process. */
export type KillReason = 'deadline' | 'memory'

/**
 * Writes a line to the parent through the pipe `NOTES_FD`. The write is synchronous, so that it works even while the
 * main thread runs native code.
 */
export function writeNote(note: string): void {
  try {
    writeSync(NOTES_FD, `${note}\n`)
  } catch {
    // The parent has ended, or there is no pipe. In both cases, the note is not needed.
  }
}

export type Watchdog = {
  /** Watches a job. `number` is the one of the request. */
  jobStarts(number: number): void
  jobEnds(): void
  /**
   * Records the step of the running job, which takes a few nanoseconds. If the process dies, the parent gets this step.
   */
  atStep(step: number): void
  /** Reports the last step and ends the process. */
  abort(): never
}

/**
 * Watches this process from a separate thread, because native code may block the main thread. During a job, the thread
 * kills the process if resident memory or processor time exceeds its limit, or if the parent has ended. Between jobs
 * the thread sleeps. It starts with the first job, and ends when none has come for some time.
 *
 * @param limits `cpuLimitMs` is 0 for no limit
 */
export function startWatchdog(limits: { memoryLimitMb: number; cpuLimitMs: number; idleMs?: number }): Watchdog {
  const state = new Int32Array(new SharedArrayBuffer(STATE_LENGTH * Int32Array.BYTES_PER_ELEMENT))
  state[STATE_ACTIVITY] = WATCH_ENDED
  const { memoryLimitMb, cpuLimitMs, idleMs = IDLE_MS } = limits
  const workerData: WatchdogData = {
    state,
    limitBytes: memoryLimitMb * 1024 * 1024,
    cpuLimitMs,
    idleMs,
    parentPid: process.ppid,
  }
  // A failure ends this process, so that no job runs unwatched.
  const startThread = (): void => new Worker(new URL('./watchdog-thread.ts', import.meta.url), { workerData }).unref()

  return {
    jobStarts: (number) => {
      Atomics.store(state, STATE_STEP, -1)
      Atomics.store(state, STATE_JOB, number)
      if (Atomics.exchange(state, STATE_ACTIVITY, WATCH_BUSY) === WATCH_ENDED) startThread()
      else Atomics.notify(state, STATE_ACTIVITY)
    },
    jobEnds: () => {
      Atomics.store(state, STATE_ACTIVITY, WATCH_IDLE)
      Atomics.notify(state, STATE_ACTIVITY)
    },
    atStep: (step) => {
      Atomics.store(state, STATE_STEP, step)
    },
    abort: () => {
      writeNote(stepNote(state))
      process.abort()
    },
  }
}

/** Formats a note `step <job> <step>`. `<job>` is the number of the job. */
export function stepNote(state: Int32Array): string {
  return `step ${Atomics.load(state, STATE_JOB)} ${Atomics.load(state, STATE_STEP)}`
}
