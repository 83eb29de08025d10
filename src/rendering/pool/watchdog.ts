import { Worker } from 'node:worker_threads'

/** What the watchdog thread is given; `state[0]` is `WATCH_IDLE` or `WATCH_BUSY`. */
export type WatchdogData = { state: Int32Array; limitBytes: number; parentPid: number }

export const WATCH_IDLE = 0
export const WATCH_BUSY = 1

/**
 * Watches this process from a thread of its own, because the main thread may be deep in native code: during a job the
 * process is killed when its resident memory passes the limit or its parent is gone. Between jobs the thread sleeps.
 */
export function startWatchdog(memoryLimitMb: number): { jobStarts(): void; jobEnds(): void } {
  const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const workerData: WatchdogData = { state, limitBytes: memoryLimitMb * 1024 * 1024, parentPid: process.ppid }
  new Worker(new URL('./watchdog-thread.ts', import.meta.url), { workerData }).unref()

  const become = (next: number) => {
    Atomics.store(state, 0, next)
    Atomics.notify(state, 0)
  }
  return { jobStarts: () => become(WATCH_BUSY), jobEnds: () => become(WATCH_IDLE) }
}
