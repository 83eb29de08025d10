/**
 * The queue remembers this number of recently served customers. It forgets earlier ones, who then count as never
 * served.
 */
const MAX_REMEMBERED = 200

/** Fair queuing of customers: customers who were served recently queue behind all others. */
export interface FairQueue {
  recentlyServed(): readonly string[]
  recordServed(ownerId: string): void
}

/**
 * Creates the queue of one process. It outlives the runs of the job, so that each run continues where the last one
 * ended.
 */
export function createFairQueue(): FairQueue {
  let served: string[] = []
  return {
    recentlyServed: () => served,
    recordServed: (ownerId) => {
      served = [...served.filter((id) => id !== ownerId), ownerId].slice(-MAX_REMEMBERED)
    },
  }
}
