import { createCounts } from '../../concurrency/counts.ts'
import { isShareOfVisitors } from '../../fair-share.ts'
import type { Exchange } from './exchange.ts'

/** The bytes that all exchanges hold: in total, for all visitors, for each account and for each network. */
export interface HeldBytes {
  total(): number
  ofVisitors(): number
  of(account: string): number
  ofNetwork(network: string): number
  hold(exchange: Exchange, bytes: number): void
  /** Updates the counts with the bytes that the response streams of exchanges currently hold. */
  measured(exchanges: Iterable<Exchange>): void
  release(exchange: Exchange): void
}

export function createHeldBytes(): HeldBytes {
  const byAccount = createCounts()
  const byNetwork = createCounts()
  let total = 0
  let ofVisitors = 0
  let waiting = 0
  const add = ({ account, network }: Exchange, bytes: number): void => {
    total += bytes
    if (isShareOfVisitors(network)) ofVisitors += bytes
    byAccount.add(account, bytes)
    byNetwork.add(network, bytes)
  }
  return {
    total: () => total + waiting,
    ofVisitors: () => ofVisitors,
    of: byAccount.of,
    ofNetwork: byNetwork.of,
    hold: (exchange, bytes) => {
      exchange.heldBytes += bytes
      add(exchange, bytes)
    },
    measured: (exchanges) => {
      waiting = 0
      for (const exchange of exchanges) waiting += exchange.waitingBytes
    },
    release: (exchange) => {
      waiting = Math.max(0, waiting - exchange.waitingBytes)
      if (exchange.heldBytes > 0) add(exchange, -exchange.heldBytes)
    },
  }
}
