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
  const byAccount = new Map<string, number>()
  let total = 0
  let waiting = 0
  const add = (account: string, bytes: number): void => {
    if (bytes === 0) return
    total += bytes
    const sum = (byAccount.get(account) ?? 0) + bytes
    if (sum === 0) byAccount.delete(account)
    else byAccount.set(account, sum)
  }
  return {
    total: () => total + waiting,
    of: (account) => byAccount.get(account) ?? 0,
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
