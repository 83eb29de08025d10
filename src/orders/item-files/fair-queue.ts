/** Customers remembered at most. One that is forgotten counts as never served. */
const REMEMBERED = 200

/** Whose turn it is to have files drawn: customers who were served take their places behind all others. */
export interface Turns {
  /** Ids of customers who were served, the latest last. */
  served(): readonly string[]
  note(ownerId: string): void
}

/** Lasts for as long as a process, so that each of its jobs goes on where the one before ended. */
export function createTurns(): Turns {
  let served: string[] = []
  return {
    served: () => served,
    note: (ownerId) => {
      served = [...served.filter((id) => id !== ownerId), ownerId].slice(-REMEMBERED)
    },
  }
}
