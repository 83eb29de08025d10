/** Customers remembered at most. One that is forgotten counts as never served. */
const MAX_REMEMBERED = 200

/** Whose turn it is to have files drawn: customers who were served take their places behind all others. */
export interface FairQueue {
  /** Ids of customers who were served, the latest last. */
  recentlyServed(): readonly string[]
  recordServed(ownerId: string): void
}

/** Lasts for as long as a process, so that each of its jobs goes on where the one before ended. */
export function createFairQueue(): FairQueue {
  let served: string[] = []
  return {
    recentlyServed: () => served,
    recordServed: (ownerId) => {
      served = [...served.filter((id) => id !== ownerId), ownerId].slice(-MAX_REMEMBERED)
    },
  }
}
