/**
 * Memory for jobs whose images and fonts need much. The jobs of one account, or of the visitors of one network
 * (`networkOfShare`), together have a limit in all processes of a pool. So they cannot fill the memory, and keep no others
 * waiting.
 */
export interface MemoryBudget {
  /**
   * Asks for memory for a job. `onGranted` is called when it is free, in the order of the calls of this share. A claim for
   * more than the whole limit is granted alone.
   *
   * @returns a function that gives the memory back, or cancels the wait
   */
  take(share: string, bytes: number, onGranted: () => void): () => void
}

interface Claim {
  bytes: number
  onGranted: () => void
}

/** The claims of one share. */
interface Claims {
  granted: Set<Claim>
  waiting: Set<Claim>
}

export function createMemoryBudget(limitBytes: number): MemoryBudget {
  const claimsOf = new Map<string, Claims>()

  const grantFree = ({ granted, waiting }: Claims) => {
    for (const claim of waiting) {
      const inUse = granted.values().reduce((sum, { bytes }) => sum + bytes, 0)
      // A later, smaller claim does not overtake, because a large one could then wait without end.
      if (inUse > 0 && inUse + claim.bytes > limitBytes) return
      waiting.delete(claim)
      granted.add(claim)
      claim.onGranted()
    }
  }

  return {
    take(share, bytes, onGranted) {
      const claims = claimsOf.get(share) ?? { granted: new Set(), waiting: new Set() }
      const claim = { bytes, onGranted }
      claimsOf.set(share, claims)
      claims.waiting.add(claim)
      grantFree(claims)
      return () => {
        claims.waiting.delete(claim)
        claims.granted.delete(claim)
        grantFree(claims)
        const isLast = claims.granted.size === 0 && claims.waiting.size === 0
        if (isLast && claimsOf.get(share) === claims) claimsOf.delete(share)
      }
    },
  }
}
