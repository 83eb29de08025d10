import { createCounts } from '../../concurrency/counts.ts'
import type { Exchange } from './exchange.ts'

/** The bytes that all exchanges hold, in total and for each account. */
export interface HeldBytes {
  total(): number
  of(account: string): number
  hold(exchange: Exchange, bytes: number): void
  /** Updates the counts with the bytes that the response streams of exchanges currently hold. */
  measured(exchanges: Iterable<Exchange>): void
  release(exchange: Exchange): void
}

export function createHeldBytes(): HeldBytes {
  const byAccount = createCounts()
  let total = 0
  let waiting = 0
  const add = (account: string, bytes: number): void => {
    total += bytes
    byAccount.add(account, bytes)
  }
  return {
    total: () => total + waiting,
    of: byAccount.of,
    hold: (exchange, bytes) => {
      exchange.heldBytes += bytes
      add(exchange.account, bytes)
    },
    measured: (exchanges) => {
      waiting = 0
      for (const exchange of exchanges) waiting += exchange.waitingBytes
    },
    release: ({ account, heldBytes, waitingBytes }) => {
      waiting = Math.max(0, waiting - waitingBytes)
      add(account, -heldBytes)
    },
  }
}
