import { type ChildProcess, fork } from 'node:child_process'
import { RenderFailed, type RenderFailure } from '../errors.ts'
import type { JobReply, JobRequest } from './messages.ts'

export type ChildOptions = {
  /** The module a child runs; it calls `serveJobs`. */
  module: URL
  timeoutMs: number
  memoryLimitMb: number
  log: { warn(fields: object, message: string): void }
}

export type Job = { request: JobRequest; resolve: (value: unknown) => void; reject: (error: Error) => void }

/** One child process. It runs one job at a time and is never used again after a failure. */
export type Child = {
  isFree(): boolean
  run(job: Job): void
  /** Waits for the job in hand, if any, then ends the process. */
  end(): Promise<void>
}

type Listeners = { onFree: () => void; onGone: () => void }

/** Old enough to be replaced, in case native code leaks a little with each job. */
const JOBS_PER_CHILD = 1000
const STDERR_TAIL = 2000

// No secret of the parent reaches a process that decodes strangers' files, and none of the machine's settings or
// fonts can change what it draws.
export const CHILD_ENV = {
  DISABLE_SYSTEM_FONTS_LOAD: '1',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  MALLOC_ARENA_MAX: '2',
  UV_THREADPOOL_SIZE: '2',
}

/** Starts a child process. `onGone` is called once, when it can take no more jobs. */
export function startChild(options: ChildOptions, { onFree, onGone }: Listeners): Child {
  const child = forkChild(options)
  const stderr = keepTail(child)
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  let job: Job | undefined
  let timer: NodeJS.Timeout | undefined
  let jobsDone = 0
  let gone = false
  let ended: (() => void) | undefined

  const retire = () => {
    if (gone) return
    gone = true
    child.kill('SIGKILL')
    onGone()
  }

  const takeJob = () => {
    clearTimeout(timer)
    const taken = job
    job = undefined
    unref(child)
    ended?.()
    return taken
  }

  const fail = (cause: RenderFailure, message: string) => {
    const failed = takeJob()
    if (failed !== undefined) {
      options.log.warn({ cause, job: failed.request.kind, stderr: stderr() }, message)
      failed.reject(new RenderFailed(cause, message))
    }
    retire()
  }

  child.on('message', (reply: JobReply) => {
    const done = takeJob()
    jobsDone += 1
    if (reply.ok) done?.resolve(reply.value)
    else done?.reject(new RenderFailed('error', reply.message))
    if (jobsDone >= JOBS_PER_CHILD || reply.rssMb > options.memoryLimitMb / 2) retire()
    else if (!gone) onFree()
  })
  child.on('close', (code, signal) => {
    const cause = causeOfDeath(signal, stderr())
    fail(cause, `A render process died (${signal ?? `exit code ${code}`})`)
  })
  child.on('error', (error) => fail('crash', `A render process could not be used: ${error.message}`))

  return {
    isFree: () => !gone && job === undefined,
    run(next) {
      job = next
      ref(child)
      timer = setTimeout(() => fail('timeout', `A job took longer than ${options.timeoutMs} ms`), options.timeoutMs)
      child.send(next.request, (error) => {
        if (error !== null) fail('crash', `A render process could not be reached: ${error.message}`)
      })
    },
    async end() {
      if (job !== undefined) await new Promise<void>((resolve) => (ended = resolve))
      retire()
      ref(child)
      await exited
    },
  }
}

function forkChild(options: ChildOptions): ChildProcess {
  const child = fork(options.module, [String(options.memoryLimitMb)], {
    env: CHILD_ENV,
    execArgv: [`--max-old-space-size=${Math.floor(options.memoryLimitMb / 2)}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  unref(child)
  return child
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

function keepTail(child: ChildProcess): () => string {
  let tail = ''
  child.stderr?.setEncoding('utf8')
  child.stderr?.on('data', (chunk: string) => {
    tail = (tail + chunk).slice(-STDERR_TAIL)
  })
  if (child.stderr !== null && 'unref' in child.stderr) (child.stderr as { unref(): void }).unref()
  return () => tail
}

function causeOfDeath(signal: NodeJS.Signals | null, stderr: string): RenderFailure {
  return signal === 'SIGKILL' || stderr.includes('heap out of memory') ? 'memory' : 'crash'
}
