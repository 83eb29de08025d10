import type { ChildMessage, MemoryUse } from './messages.ts'

const waiting = new Map<number, () => void>()
let claims = 0
let send: ((message: ChildMessage) => void) | undefined

/** Lets `withPoolMemory` ask the pool of this process for memory. */
export function connectPoolMemory(sendToPool: (message: ChildMessage) => void): void {
  send = sendToPool
}

/** Continues the work that waited for a claim. */
export function continueWithMemory(claim: number): void {
  waiting.get(claim)?.()
  waiting.delete(claim)
}

/**
 * Does work that needs much memory when the pool has so much left for the share of the job. The wait does not count
 * against the time limit of the job. A process without a pool does the work at once.
 */
export async function withPoolMemory<T>(bytes: number, work: () => Promise<T>, of: MemoryUse = 'images'): Promise<T> {
  if (send === undefined) return work()
  claims += 1
  const claim = claims
  const granted = new Promise<void>((resolve) => waiting.set(claim, resolve))
  send({ claim, bytes, of })
  await granted
  try {
    return await work()
  } finally {
    send({ claim, bytes: 0, of })
  }
}
