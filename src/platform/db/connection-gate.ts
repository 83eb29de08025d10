import { createFairQueue } from '../concurrency/fair-queue.ts'
import { currentRequest, type RequestContext } from '../concurrency/request-context.ts'
import { isShareOfVisitors } from '../fair-share.ts'

/**
 * Decides which request gets the next connection of a pool. Accounts are served in rotation, and no account gets more
 * connections than its share. Without a share, one account could use all connections for requests that wait for a lock
 * of this account.
 */
export interface ConnectionGate {
  /**
   * Waits until a connection is free for the current request. A request that already has a connection gets another one
   * immediately, because otherwise it could wait for itself.
   *
   * @param mayWait whether the statement may wait for a lock. Such statements never get the connections that are
   *   reserved for reads
   * @returns a function that frees the connection; a second call has no effect
   * @throws {ConnectionTimeout} if no connection becomes free in time
   */
  enter(mayWait: boolean): Promise<() => void>
}

export class ConnectionTimeout extends Error {
  override readonly name = 'ConnectionTimeout'
}

export interface GateOptions {
  max: number
  timeoutMs: number
}

/** Returns how many connections are reserved for reads, and as many for writes: a fifth of the pool each. */
export function reservedFor(max: number): number {
  return max === 1 ? 0 : Math.max(1, Math.floor(max / 5))
}

export function createConnectionGate({ max, timeoutMs }: GateOptions): ConnectionGate {
  // One customer may use a quarter of each kind. Writes may wait long for each other, and reads of large documents keep
  // the database busy. Three customers together then leave some connections for others.
  const shareOf = (isCustomer: boolean) => (isCustomer ? 4 : 2)
  const reads = createConnectionQueue(max - (max > 2 ? reservedFor(max) : 0), shareOf)
  const writes = createConnectionQueue(max - reservedFor(max), shareOf)
  let held = 0
  let isTurnOfReads = true

  // Reads and writes take turns, so that neither can keep the other from getting a connection.
  const fill = (): void => {
    while (held < max) {
      const [first, second] = isTurnOfReads ? [reads, writes] : [writes, reads]
      isTurnOfReads = !isTurnOfReads
      if (!first.grantNext() && !second.grantNext()) return
    }
  }

  return {
    enter: async (mayWait) => {
      const request = currentRequest()
      const owner = request?.account
      const lane = mayWait ? writes : reads
      const take = (): void => {
        held += 1
        if (request !== undefined) request.connections += 1
        lane.take(owner)
      }
      const isNested = request !== undefined && request.connections > 0
      if (isNested || (held < max && lane.isFreeFor(request))) take()
      else {
        const granted = lane.wait(request, take, timeoutMs)
        fill()
        await granted
      }
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        held -= 1
        if (request !== undefined) request.connections -= 1
        lane.leave(owner)
        fill()
      }
    },
  }
}

interface Waiting {
  owner: string | undefined
  grant: () => void
}

/** Undefined for work of the service itself, which has no account and no share. */
type Owner = string | undefined

/**
 * Manages the connections of one kind of statement: reads or writes.
 *
 * @param divisorFor number by which the connections are divided to get the share of one account, which is at least two
 */
function createConnectionQueue(connections: number, divisorFor: (isCustomer: boolean) => number) {
  const queue = createFairQueue<Waiting>()
  const accounts = new Map<Owner, { held: number; share: number }>()
  // Visitors without an account together get half, because a client may have any number of IP addresses.
  const visitorShare = Math.max(2, Math.floor(connections / 2))
  let held = 0
  let heldByVisitors = 0

  const accountOf = (owner: Owner) => {
    let account = accounts.get(owner)
    if (account === undefined) {
      account = { held: 0, share: Number.POSITIVE_INFINITY }
      accounts.set(owner, account)
    }
    return account
  }
  const accountOfRequest = (request: RequestContext | undefined) => {
    const account = accountOf(request?.account)
    if (request?.account !== undefined) {
      account.share = Math.max(2, Math.floor(connections / divisorFor(request.isCustomer)))
    }
    return account
  }
  const forgetIdle = (owner: Owner): void => {
    if (accountOf(owner).held === 0 && queue.countOf(owner) === 0) accounts.delete(owner)
  }
  // Owners with the fewest connections come first.
  const isTurnOf = (owner: Owner): boolean => !isShareOfVisitors(owner) || heldByVisitors < visitorShare
  const rankOf = (owner: Owner): number => {
    const account = accountOf(owner)
    return !isTurnOf(owner) || account.held >= account.share
      ? Number.POSITIVE_INFINITY
      : owner === undefined
        ? 0
        : account.held
  }

  return {
    /**
     * Tells whether the request gets a connection without waiting: a connection is free, the account has not used its
     * share, and no other request waits.
     */
    isFreeFor: (request: RequestContext | undefined): boolean => {
      const { held: own, share } = accountOfRequest(request)
      return held < connections && own < share && isTurnOf(request?.account) && queue.count() === 0
    },
    take: (owner: Owner): void => {
      held += 1
      if (isShareOfVisitors(owner)) heldByVisitors += 1
      accountOf(owner).held += 1
    },
    leave: (owner: Owner): void => {
      held -= 1
      if (isShareOfVisitors(owner)) heldByVisitors -= 1
      accountOf(owner).held -= 1
      forgetIdle(owner)
    },
    /** Gives a free connection to the next request. Returns false if no connection is free or no request waits. */
    grantNext: (): boolean => {
      const next = held < connections ? queue.take(rankOf) : undefined
      next?.grant()
      return next !== undefined
    },
    /** Queues the current request. `take` is called as soon as the request gets a connection. */
    wait: (request: RequestContext | undefined, take: () => void, timeoutMs: number): Promise<void> => {
      const owner = request?.account
      accountOfRequest(request)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(() => {
        queue.remove(waiting)
        forgetIdle(owner)
        reject(new ConnectionTimeout(`no database connection within ${timeoutMs} ms`))
      }, timeoutMs)
      const waiting: Waiting = {
        owner,
        grant: () => {
          clearTimeout(timer)
          take()
          resolve()
        },
      }
      queue.add(waiting)
      return promise
    },
  }
}
