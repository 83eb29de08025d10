// Runs the service for `npm start`, and restarts it after a crash. This file imports only modules of Node, so that its
// process stays small and does not fail because of a package.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '../dist/service/main.js')
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** Uptime after which the pause before the next restart is FIRST_PAUSE_MS again. */
const STEADY_MS = 60_000
/** Time after which a service that has not stopped is killed, because it no longer handles signals. */
const STOP_MS = 30_000

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const SIGNAL_EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

let service: ChildProcess | undefined
let stopSignal: (typeof SIGNALS)[number] | undefined
const paused = new AbortController()

// The error of a closed terminal is ignored, because this process must not end before the service has stopped.
process.stderr.on('error', () => undefined)

for (const signal of SIGNALS) {
  process.on(signal, () => {
    stopSignal ??= signal
    service?.kill(signal)
    setTimeout(() => service?.kill('SIGKILL'), STOP_MS).unref()
    paused.abort()
  })
}

process.exitCode = await keepRunning()

/**
 * Runs and restarts the service. Returns the exit status after the service has ended for a reason that a restart would
 * not fix.
 */
async function keepRunning(): Promise<number> {
  let pauseMs = FIRST_PAUSE_MS
  let hasServed = false
  for (;;) {
    const startedAt = performance.now()
    const { code, signal, wasReady, isStopping } = await run()
    hasServed ||= wasReady
    // If the service ends before it was ever ready, a setting must be invalid, and a restart would fail again.
    const isRefused = signal === null && !hasServed
    if (stopSignal !== undefined || isStopping || isRefused || code === 0) {
      return code ?? (stopSignal === undefined ? 1 : SIGNAL_EXIT_CODES[stopSignal])
    }
    if (performance.now() - startedAt > STEADY_MS) pauseMs = FIRST_PAUSE_MS
    const cause = signal === null ? `exit code ${code}` : signal
    process.stderr.write(
      `The service ended unexpectedly (${cause}). It starts again in ${Math.round(pauseMs / 1_000)} s.\n`,
    )
    if (!(await pause(pauseMs))) return 0
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  /** Whether the service was ready for requests. */
  wasReady: boolean
  /** Whether the service stopped intentionally. In this case it has printed the reason. */
  isStopping: boolean
}

/** Runs the service once. If this process dies, the IPC channel closes, and the service stops, too. */
async function run(): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, 'serve', ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  service = child
  // The signal to stop arrived before the service was started.
  if (stopSignal !== undefined) child.kill('SIGTERM')
  const told = new Set<unknown>()
  child.on('message', (message) => told.add(message))
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  service = undefined
  return { code, signal, wasReady: told.has('ready'), isStopping: told.has('stopping') }
}

/** Waits before a restart. Returns false if a signal to stop interrupted the pause. */
async function pause(durationMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(true), durationMs)
  const stop = () => resolve(false)
  paused.signal.addEventListener('abort', stop)
  if (paused.signal.aborted) stop()
  const isOver = await promise
  clearTimeout(timer)
  paused.signal.removeEventListener('abort', stop)
  return isOver
}
