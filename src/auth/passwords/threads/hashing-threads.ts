import { Worker } from 'node:worker_threads'
import { httpProblems } from '../../../platform/http/core/problems.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import { signInBusy } from '../../problems.ts'
import type { Computation, Outcome } from './messages.ts'

/** In megabytes. The thread holds one password; the memory of a hash is outside of the heap. */
const HEAP_MB = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 }

/** A thread can end while it hashes, if memory is short. Another one then computes the hash, once. */
const TRIES = 2

/** The code with which OpenSSL reports that it gets no memory. */
const NO_MEMORY = 'ERR_OSSL_CRYPTO_MALLOC_FAILURE'

/** Codes of the errors with which a thread ends if memory is short. With any other error, its program does not load. */
const OUT_OF_MEMORY = new Set<string | undefined>(['ERR_WORKER_OUT_OF_MEMORY', 'ERR_WORKER_INIT_FAILED'])

/** A hash takes about a second at most, and longer while the processors are busy. */
const DEADLINE_MS = 30_000

const ENDED = 'a thread that hashes passwords ended unexpectedly'
const NOT_STARTED =
  'a thread that hashes passwords cannot start. If the files of the release were replaced, restart the service'

export interface HashingThreads {
  /**
   * @returns the Argon2id tag
   * @throws `sign_in_busy` if threads end unexpectedly, memory is short, or the hash takes too long;
   *   `service_unavailable` if no thread can start
   */
  derive(computation: Omit<Extract<Computation, { kind: 'derive' }>, 'kind'>): Promise<Buffer>
  /**
   * @returns whether a password has this stored hash
   * @throws `sign_in_busy`, `service_unavailable` as for `derive`
   */
  compare(computation: Omit<Extract<Computation, { kind: 'compare' }>, 'kind'>): Promise<boolean>
  /** Whether the last thread that was started could load its program. */
  canStart(): boolean
  /** Ends the threads. Running and later computations are rejected. */
  close(): Promise<void>
}

/**
 * Creates threads that hash passwords. A computation takes an idle thread, or starts one if there is none; the caller
 * limits how many run at a time. The threads remain for later computations, and keep no process alive while they are
 * idle.
 */
export function createHashingThreads({
  log,
  deadlineMs = DEADLINE_MS,
}: {
  log?: Log | undefined
  deadlineMs?: number
} = {}): HashingThreads {
  const threads = new Set<Worker>()
  const idle: Worker[] = []
  let isClosed = false
  /** The program of a thread catches all errors of hashes, so an error of a new one means that it does not load. */
  let isBroken = false

  /** The message of an error may contain the password, so the log gets its code only. */
  const remove = (worker: Worker, message: string, error?: NodeJS.ErrnoException): void => {
    if (!threads.delete(worker) || isClosed) return
    const place = idle.indexOf(worker)
    if (place >= 0) idle.splice(place, 1)
    log?.warn({ code: error?.code ?? error?.name }, message)
  }

  const start = (): Worker => {
    const worker = new Worker(new URL('./hashing-thread.ts', import.meta.url), { resourceLimits: HEAP_MB })
    threads.add(worker)
    let cause: NodeJS.ErrnoException | undefined
    let hasRun = false
    worker.on('error', (error) => {
      cause = error as NodeJS.ErrnoException
      isBroken = !hasRun && !OUT_OF_MEMORY.has(cause.code)
    })
    worker.on('message', () => {
      hasRun = true
      isBroken = false
    })
    worker.on('exit', () => remove(worker, isBroken && !hasRun ? NOT_STARTED : ENDED, cause))
    return worker
  }

  const run = async (computation: Computation): Promise<Outcome> => {
    for (let tries = 0; tries < TRIES && !isClosed; tries += 1) {
      const worker = idle.pop() ?? start()
      const outcome = await runIn(worker, computation, deadlineMs)
      if (outcome === 'ended') continue
      if (outcome === 'overdue') {
        remove(worker, 'a thread did not hash a password in time')
        void worker.terminate()
        // A thread whose native code does not return never ends, so nothing waits for its end.
        worker.unref()
        break
      }
      worker.unref()
      idle.push(worker)
      if (outcome.kind !== 'failed') return outcome
      if (outcome.code !== NO_MEMORY) throw new Error(`A password cannot be hashed (${outcome.code}).`)
      log?.warn('there is too little memory to hash a password')
      break
    }
    throw isBroken && !isClosed ? hashingUnavailable() : signInBusy()
  }

  return {
    derive: async (computation) => {
      const outcome = await run({ kind: 'derive', ...computation })
      if (outcome.kind !== 'derived') throw new Error(`unexpected outcome: ${outcome.kind}`)
      return Buffer.from(outcome.tag)
    },
    compare: async (computation) => {
      const outcome = await run({ kind: 'compare', ...computation })
      return outcome.kind === 'compared' && outcome.matches
    },
    canStart: () => !isBroken,
    close: async () => {
      isClosed = true
      await Promise.all(Array.from(threads, (worker) => worker.terminate()))
    },
  }
}

function hashingUnavailable() {
  const detail = 'The service cannot check passwords at present.'
  return httpProblems.service_unavailable({ detail, headers: { 'Retry-After': '10' } })
}

/** Runs a computation in a thread. @returns `ended` if the thread ends meanwhile, `overdue` after the deadline */
function runIn(worker: Worker, computation: Computation, deadlineMs: number): Promise<Outcome | 'ended' | 'overdue'> {
  return new Promise((resolve) => {
    const end = (outcome: Outcome | 'ended' | 'overdue') => {
      clearTimeout(deadline)
      worker.off('message', end).off('exit', lose)
      resolve(outcome)
    }
    const lose = () => end('ended')
    const deadline = setTimeout(() => end('overdue'), deadlineMs)
    worker.on('message', end).on('exit', lose).ref()
    worker.postMessage(computation)
  })
}
