import { type ChildProcess, fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { RenderFailed, type RenderFailure } from '../errors.ts'
import type { ChildMessage, JobReply, JobRequest } from './messages.ts'

export type ChildOptions = {
  /** The module a child runs; it calls `serveJobs`. */
  module: URL
  timeoutMs: number
  memoryLimitMb: number
  log: { warn(fields: object, message: string): void }
}

/** One child process. It runs one job at a time and is never used again after a failure. */
export type Child = {
  isFree(): boolean
  /** Only when it is free. Rejects with `RenderFailed`. */
  run(request: JobRequest): Promise<unknown>
  /** Waits for the job in hand, if any, then ends the process. */
  end(): Promise<void>
}

type Listeners = {
  /** Called once, when it can take its first job. One that dies before that died of no job. */
  onReady: () => void
  /** Called once, when it can take no more jobs. */
  onGone: (child: { wasReady: boolean }) => void
}

/** Old enough to be replaced, in case native code leaks a little with each job. */
const JOBS_PER_CHILD = 1000
const STDERR_TAIL = 2000
/** On a machine that needs longer nothing can be drawn in time either. */
const START_TIMEOUT_MS = 30_000
/** A killed process is gone at once, unless the system holds it up in a read or write that does not end. */
const DEATH_TIMEOUT_MS = 2_000

// No secret of the parent reaches a process that decodes strangers' files, and none of the machine's settings or
// fonts can change what it draws.
export const CHILD_ENV = {
  DISABLE_SYSTEM_FONTS_LOAD: '1',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  MALLOC_ARENA_MAX: '2',
  UV_THREADPOOL_SIZE: '2',
}

/** Without it V8 collects all its garbage for every 64 MB of pixels, a fifth of the time that drawing takes. */
export const CHILD_FLAGS = ['--external-memory-accounted-in-global-limit']

/** Starts a child process. Where the system refuses to start one, `onGone` is called soon after. */
export function startChild(options: ChildOptions, { onReady, onGone }: Listeners): Child {
  const { log, memoryLimitMb, timeoutMs } = options
  let isReady = false
  let isGone = false
  let jobsDone = 0
  let job: (PromiseWithResolvers<unknown> & { kind: string }) | undefined
  let timer: NodeJS.Timeout | undefined
  const exited = Promise.withResolvers<void>()

  const retire = () => {
    if (isGone) return
    isGone = true
    clearTimeout(timer)
    child?.kill('SIGKILL')
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
    failed?.reject(new RenderFailed(cause, message))
  }

  /** Where the job wrote belongs to the caller as soon as it has failed, so the process is to be gone by then. */
  const killThenFail = async (cause: RenderFailure, message: string) => {
    retire()
    const patience = setTimeout(exited.resolve, DEATH_TIMEOUT_MS)
    await exited.promise
    clearTimeout(patience)
    fail(cause, message)
  }

  const finish = (reply: JobReply) => {
    const done = takeJob()
    jobsDone += 1
    if (jobsDone >= JOBS_PER_CHILD || reply.rssMb > memoryLimitMb / 2) retire()
    if (reply.ok) return done?.resolve(reply.value)
    const { message, systemCode } = reply
    // Whoever asked for the job may tell its client something else: what was thrown is to be found here.
    log.warn({ cause: 'error', job: done?.kind, systemCode, thrown: message }, 'A job threw')
    done?.reject(new RenderFailed('error', message, systemCode))
  }

  const child = tryFork(options)
  const stderr = child === undefined ? () => '' : keepTail(child)
  const isLate = `A render process took longer than ${START_TIMEOUT_MS} ms to start`
  timer = setTimeout(() => fail('timeout', isLate), START_TIMEOUT_MS)
  child?.on('message', (message: ChildMessage) => {
    // Killed for its job while the answer was on its way.
    if (isGone) return
    if (!('ready' in message)) return finish(message)
    isReady = true
    clearTimeout(timer)
    unref(child)
    onReady()
  })
  child?.once('close', (code, signal) => {
    exited.resolve()
    // Whoever killed it says why.
    if (!isGone) fail(causeOfDeath(signal, stderr()), `A render process died (${signal ?? `exit code ${code}`})`)
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
    run(request) {
      job = { ...Promise.withResolvers<unknown>(), kind: request.kind }
      const { promise } = job
      timer = setTimeout(() => void killThenFail('timeout', `A job took longer than ${timeoutMs} ms`), timeoutMs)
      const unreachable = (error: Error) => fail('crash', `A render process could not be reached: ${error.message}`)
      if (child !== undefined) ref(child)
      try {
        child?.send(request, (error) => {
          if (error !== null) unreachable(error)
        })
      } catch (error) {
        // Input that cannot be cloned.
        unreachable(error as Error)
      }
      return promise
    },
    async end() {
      await job?.promise.catch(() => undefined)
      retire()
      if (child !== undefined) ref(child)
      await exited.promise
    },
  }

  /** Where memory, processes or file descriptors have run out, some of Node's calls throw and others tell later. */
  function tryFork(settings: ChildOptions): ChildProcess | undefined {
    try {
      return forkChild(settings)
    } catch (error) {
      log.warn({ err: error }, 'A render process could not be started')
      return undefined
    }
  }
}

// Keeps the parent running until it is ready: a job waits for it.
function forkChild({ module, memoryLimitMb }: ChildOptions): ChildProcess {
  return fork(module, [String(memoryLimitMb)], {
    env: { ...CHILD_ENV, ...sharedCompileCache() },
    execArgv: [`--max-old-space-size=${Math.floor(memoryLimitMb / 2)}`, ...CHILD_FLAGS],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

/** A quarter of a child's start is compiling modules, which the parent's cache saves it. */
function sharedCompileCache(): NodeJS.ProcessEnv {
  const dir = getCompileCacheDir()
  // Within the one that was asked for, each version of Node has its own.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) }
}

// An idle child must not keep the parent running.
function unref(child: ChildProcess) {
  child.unref()
  child.channel?.unref()
}

function ref(child: ChildProcess) {
  child.ref()
  child.channel?.ref()
}

function keepTail({ stderr }: ChildProcess): () => string {
  let tail = ''
  // Without file descriptors there is no pipe either, whatever the declared type says.
  if (stderr == null) return () => tail
  stderr.setEncoding('utf8')
  stderr.on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-STDERR_TAIL)
  })
  if ('unref' in stderr) (stderr as { unref(): void }).unref()
  return () => tail
}

function causeOfDeath(signal: NodeJS.Signals | null, stderr: string): RenderFailure {
  return signal === 'SIGKILL' || stderr.includes('heap out of memory') ? 'memory' : 'crash'
}
