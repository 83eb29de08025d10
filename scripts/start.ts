// Runs the service for `npm start` and starts it again when it dies. Imports nothing but Node's own modules, so that this
// process stays small and no fault of the service's packages can end it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '../src/main.ts')
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** After this time in service, a death counts as the first one. */
const STEADY_MS = 60_000
/** The service ends by itself within this time, unless it does not even notice the signal. */
const STOP_MS = 30_000

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const SIGNAL_EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

let service: ChildProcess | undefined
let stopSignal: (typeof SIGNALS)[number] | undefined
const paused = new AbortController()

for (const signal of SIGNALS) {
  process.on(signal, () => {
    stopSignal ??= signal
    // The service knows SIGHUP by its default only, which would end it without finishing requests.
    service?.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
    setTimeout(() => service?.kill('SIGKILL'), STOP_MS).unref()
    paused.abort()
  })
}

process.exitCode = await keepRunning()

/** Returns the exit code once the service has ended for a reason that a new start would not mend. */
async function keepRunning(): Promise<number> {
  let pauseMs = FIRST_PAUSE_MS
  let hasServed = false
  for (;;) {
    const startedAt = performance.now()
    const { code, signal, wasReady, isStopping } = await run()
    hasServed ||= wasReady
    // A wrong setting ends the first start with a message; a process that was killed had none.
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
  /** Whether it had begun to answer requests. */
  wasReady: boolean
  /** Whether it had begun to stop, for a reason that it has told on the terminal. */
  isStopping: boolean
}

/** Runs the service once. The IPC channel tells the service when this process is gone: it then stops, too. */
async function run(): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, 'serve'], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  service = child
  // A signal that came before there was a service to pass it on to.
  if (stopSignal !== undefined) child.kill('SIGTERM')
  const told = new Set<unknown>()
  child.on('message', (message) => told.add(message))
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  service = undefined
  return { code, signal, wasReady: told.has('ready'), isStopping: told.has('stopping') }
}

/** Returns false when a signal to stop ended the pause. */
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
