import type { ChildMessage } from './messages.ts'

/**
 * The memory for images and fonts that each process may use without a claim. Jobs with two ordinary images and fonts of
 * 21 MB need no more.
 */
export const UNCLAIMED_BYTES = 192 * 1024 * 1024

const waiting = new Map<number, () => void>()
let claims = 0
let send: ((message: ChildMessage) => void) | undefined

/** Lets `withPoolMemory` ask the pool of this process for memory. Without a function, this process has no pool. */
export function connectPoolMemory(sendToPool: ((message: ChildMessage) => void) | undefined): void {
  send = sendToPool
}

/** Continues the work that waited for a claim. */
export function continueWithMemory(claim: number): void {
  waiting.get(claim)?.()
  waiting.delete(claim)
}

/**
 * Does the work of a job when the pool has memory for it, beyond `UNCLAIMED_BYTES`. `bytes` is the most that the job uses
 * at once for images and fonts. A job claims its memory only once: jobs that wait for more while they hold some could
 * wait for each other without end.
 */
export async function withJobMemory<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  return bytes > UNCLAIMED_BYTES ? withPoolMemory(bytes - UNCLAIMED_BYTES, work) : work()
}

/**
 * Does work that needs much memory when the pool has so much left for the share of the job. The wait does not count
 * against the time limit of the job. A process without a pool does the work at once.
 */
export async function withPoolMemory<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  if (send === undefined) return work()
  claims += 1
  const claim = claims
  const granted = new Promise<void>((resolve) => waiting.set(claim, resolve))
  send({ claim, bytes })
  await granted
  try {
    return await work()
  } finally {
    send({ claim, bytes: 0 })
  }
}
