/** Customers beyond this number are forgotten, and count as never served. */
const MAX_REMEMBERED = 200

/** Fair queuing of customers: those who were served queue behind all others. */
export interface FairQueue {
  recentlyServed(): readonly string[]
  recordServed(ownerId: string): void
}

/** Lives as long as the process, so that each run of the job continues where the last one ended. */
export function createFairQueue(): FairQueue {
  let served: string[] = []
  return {
    recentlyServed: () => served,
    recordServed: (ownerId) => {
      served = [...served.filter((id) => id !== ownerId), ownerId].slice(-MAX_REMEMBERED)
    },
  }
}
