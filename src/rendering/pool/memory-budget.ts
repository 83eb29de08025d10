/** Memory that the processes of a pool share. A process asks for it before it decodes an image that needs much. */
export interface MemoryBudget {
  /**
   * Asks for memory. `onGranted` is called when it is free, in the order of the calls. A claim for more than the
   * whole budget is granted alone.
   *
   * @returns a function that gives the memory back, or cancels the wait
   */
  take(bytes: number, onGranted: () => void): () => void
}

interface Claim {
  bytes: number
  onGranted: () => void
}

export function createMemoryBudget(limitBytes: number): MemoryBudget {
  const granted = new Set<Claim>()
  const waiting = new Set<Claim>()
  let inUse = 0

  const grantFree = () => {
    for (const claim of waiting) {
      // A later, smaller claim does not overtake, because a large one could then wait without end.
      if (inUse > 0 && inUse + claim.bytes > limitBytes) return
      waiting.delete(claim)
      granted.add(claim)
      inUse += claim.bytes
      claim.onGranted()
    }
  }

  return {
    take(bytes, onGranted) {
      const claim = { bytes, onGranted }
      waiting.add(claim)
      grantFree()
      return () => {
        waiting.delete(claim)
        if (granted.delete(claim)) inUse -= bytes
        grantFree()
      }
    },
  }
}
