// A child process for tests of the pool. Most of its jobs fail, each in another way.
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningJob } from './messages.ts'
import { UNCLAIMED_BYTES, withJobMemory, withPoolMemory } from './pool-memory.ts'
import { serveJobs } from './serve-jobs.ts'

declare const WebAssemblyTypes: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: { f(): void } }
}

const handlers = {
  echo: async (input: { value: unknown }) => input.value,
  pid: async () => process.pid,
  niceness: async () => getPriority(),
  nicenessOfThreads: async () => readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread))),
  env: async () => ({ ...process.env }),
  wait: async (input: { ms: number }) => {
    await sleep(input.ms)
    return process.pid
  },
  /** Runs until a file exists. */
  hold: async (input: { until: string }) => {
    while (!existsSync(input.until)) await sleep(5)
    return process.pid
  },
  /** Sends two replies. The first one has the number of no job. */
  replyTwice: async () => {
    process.send?.({ ok: true, value: 'of another job', number: 0, rssMb: 0 })
    return 'own'
  },
  /** Claims memory until a file exists. Notes the begin and the end in another file. */
  useMemory: async ({ name, bytes, log, until }: { name: string; bytes: number; log: string; until: string }) => {
    await withJobMemory(UNCLAIMED_BYTES + bytes, async () => {
      appendFileSync(log, `${name} begins\n`)
      while (!existsSync(until)) await sleep(5)
      appendFileSync(log, `${name} ends\n`)
    })
  },
  /** Fails while it still uses memory of the pool. */
  failWithMemory: async ({ bytes }: { bytes: number }) => {
    void withPoolMemory(bytes, () => new Promise(() => {}))
    await sleep(100)
    throw new Error('the other image is damaged')
  },
  /** Dies while it uses memory of the pool. */
  dieWithMemory: async ({ bytes }: { bytes: number }) => withPoolMemory(bytes, async () => process.abort()),
  fail: async () => {
    throw new Error('this job throws')
  },
  hang: async () => {
    for (;;);
  },
  trap: async (_: never, job: RunningJob) => {
    job.atStep(7)
    // A WebAssembly module with one function, which traps because it executes `unreachable`.
    const bytes = [
      0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11,
    ]
    const { WebAssembly: api } = globalThis as unknown as { WebAssembly: typeof WebAssemblyTypes }
    new api.Instance(new api.Module(Uint8Array.from(bytes))).exports.f()
  },
  crash: async () => process.abort(),
  exit: async () => process.exit(3),
  throwsAtFirst: async ({ path }: { path: string }) => {
    appendFileSync(path, '.')
    if (readFileSync(path).length === 1) throw new Error('the first time')
  },
  /** Aborts the process in the first `deaths` runs. A file counts the runs. */
  diesAtFirst: async ({ path, deaths }: { path: string; deaths: number }) => {
    appendFileSync(path, '.')
    const tries = readFileSync(path).length
    if (tries <= deaths) process.abort()
    return tries
  },
  // Allocates memory outside the JavaScript heap, as a decoder does.
  hoard: async () => {
    const hoarded: Buffer[] = []
    for (;;) hoarded.push(Buffer.alloc(16 * 1024 * 1024, 1))
  },
  hoardHeap: async () => {
    const hoarded: string[][] = []
    for (;;) hoarded.push(new Array(100_000).fill(0).map(String))
  },
  swell: async (input: { mb: number }) => {
    kept.push(Buffer.alloc(input.mb * 1024 * 1024, 1))
    return process.pid
  },
}

const kept: Buffer[] = []

export type UnrulyJobs = typeof handlers

serveJobs(handlers)
