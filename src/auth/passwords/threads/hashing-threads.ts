import { Worker } from 'node:worker_threads'
import type { Computation, Outcome } from './messages.ts'

/** In megabytes. The thread holds one password; the memory of a hash is outside of the heap. */
const HEAP_MB = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 }

/** A thread can end while it hashes, if memory is short. Another one then computes the hash, once. */
const TRIES = 2

const STOPPED = 'The threads that hash passwords have been stopped.'
const LOST = 'The thread that hashes a password ended unexpectedly.'

export interface HashingThreads {
  /** @returns the Argon2id tag */
  derive(computation: Omit<Extract<Computation, { kind: 'derive' }>, 'kind'>): Promise<Buffer>
  /** @returns whether a password has this stored hash */
  compare(computation: Omit<Extract<Computation, { kind: 'compare' }>, 'kind'>): Promise<boolean>
  /** Ends the threads. Running and later computations are rejected. */
  close(): Promise<void>
}

/**
 * Creates threads that hash passwords. A computation takes an idle thread, or starts one if there is none; the caller
 * limits how many run at a time. The threads remain for later computations, and keep no process alive while they are
 * idle.
 */
export function createHashingThreads(): HashingThreads {
  const threads = new Set<Worker>()
  const idle: Worker[] = []
  let isClosed = false

  const start = (): Worker => {
    const worker = new Worker(new URL('./hashing-thread.ts', import.meta.url), { resourceLimits: HEAP_MB })
    threads.add(worker)
    worker.on('error', (error) => process.emitWarning(String(error)))
    worker.on('exit', () => {
      threads.delete(worker)
      const place = idle.indexOf(worker)
      if (place >= 0) idle.splice(place, 1)
    })
    return worker
  }

  /** @returns undefined if the thread has ended */
  const runIn = (worker: Worker, computation: Computation): Promise<Outcome | undefined> =>
    new Promise((resolve) => {
      const done = (outcome?: Outcome) => {
        worker.off('message', hear).off('exit', lose)
        resolve(outcome)
      }
      const hear = (outcome: Outcome) => {
        worker.unref()
        idle.push(worker)
        done(outcome)
      }
      const lose = () => done()
      worker.on('message', hear).on('exit', lose).ref()
      worker.postMessage(computation)
    })

  const run = async (computation: Computation): Promise<Outcome> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (isClosed) throw new Error(STOPPED)
      const outcome = await runIn(idle.pop() ?? start(), computation)
      if (outcome?.kind === 'failed') throw new Error(`A password cannot be hashed (${outcome.code}).`)
      if (outcome !== undefined) return outcome
    }
    throw new Error(isClosed ? STOPPED : LOST)
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
    close: async () => {
      isClosed = true
      await Promise.all(Array.from(threads, (worker) => worker.terminate()))
    },
  }
}
