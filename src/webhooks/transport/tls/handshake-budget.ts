/** An ordinary handshake takes 1 to 5 ms. Only what takes this long counts. */
const COUNTED_MS = 50
/** Processor time that the handshakes of one share may take within `WINDOW_MS`. */
const BUDGET_MS = 2_000
const WINDOW_MS = 60_000
/** Beyond this number of shares, the oldest costs are forgotten. */
const MAX_SHARES = 10_000

/** Limits the processor time that the TLS handshakes of a share take, because a server decides how long they take. */
export interface HandshakeBudget {
  hasRoom(share: string): boolean
  spend(share: string, ms: number): void
}

export function createHandshakeBudget(now: () => number = () => performance.now()): HandshakeBudget {
  const costs = new Map<string, { at: number; ms: number }[]>()
  return {
    hasRoom: (share) => {
      const recent = (costs.get(share) ?? []).filter(({ at }) => at > now() - WINDOW_MS)
      if (recent.length === 0) costs.delete(share)
      else costs.set(share, recent)
      return recent.reduce((sum, { ms }) => sum + ms, 0) < BUDGET_MS
    },
    spend: (share, ms) => {
      if (ms < COUNTED_MS) return
      costs.set(share, [...(costs.get(share) ?? []), { at: now(), ms }])
      const [oldest] = costs.keys()
      if (costs.size > MAX_SHARES && oldest !== undefined) costs.delete(oldest)
    },
  }
}
