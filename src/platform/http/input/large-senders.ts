import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../../concurrency/request-context.ts'

/**
 * Nearly all designs and orders are smaller. An order of 1 MB keeps a connection to the database and the event loop busy
 * about a hundred times as long as an ordinary one. Smaller records are limited by their bytes (`TransferBudgets`).
 */
const LARGE_BYTES = 256 * 1024

/** As long as a quote is valid, because the order that is made from a large quote is as large and has a small body. */
const REMEMBERED_MS = 30 * 60_000

const REMEMBERED_ACCOUNTS = 10_000

type Sender = Pick<RequestContext, 'account' | 'isCustomer' | 'sendsLargeBodies'>

/** The accounts of customers that sent a large body or used a large record lately. */
export interface LargeSenders {
  /** Updates the context of a request whose account is known. */
  mark(context: Sender): void
  /** Records the size of a body or record of a request whose account is known. */
  note(context: Sender, bytes: number): void
}

export function createLargeSenders(): LargeSenders {
  // Made when the first account sends a large body, because it reserves memory for all accounts.
  let senders: LRUCache<string, true> | undefined
  const mark = (context: Sender): void => {
    context.sendsLargeBodies = context.isCustomer && senders?.has(context.account ?? '') === true
  }
  return {
    mark,
    note: (context, bytes) => {
      if (bytes <= LARGE_BYTES || context.account === undefined) return
      senders ??= new LRUCache({ max: REMEMBERED_ACCOUNTS, ttl: REMEMBERED_MS })
      senders.set(context.account, true)
      mark(context)
    },
  }
}
