import { createFairQueue } from '../concurrency/fair-queue.ts'
import { currentRequest, type RequestContext } from '../concurrency/request-context.ts'

/**
 * Decides who gets the next connection of a pool. Accounts take turns, and no account holds more than its share: its
 * requests may all wait for a lock of the account, each with a connection.
 */
export interface ConnectionGate {
  /**
   * Waits until a connection is free for the present request. A request that holds one already gets another at once:
   * otherwise it could wait for itself.
   *
   * @param mayWait whether the statement may wait for a lock. Such statements never get the part reserved for reads
   * @returns a function that frees the connection; a second call changes nothing
   * @throws {ConnectionTimeout} if none is free within the time
   */
  enter(mayWait: boolean): Promise<() => void>
}

export class ConnectionTimeout extends Error {
  override readonly name = 'ConnectionTimeout'
}

export interface GateOptions {
  /** Connections of the pool. */
  max: number
  timeoutMs: number
}

/** Connections that transactions and other writes never take: a fifth of the pool. */
export function reservedForReads(max: number): number {
  return max === 1 ? 0 : Math.max(1, Math.floor(max / 5))
}

export function createConnectionGate({ max, timeoutMs }: GateOptions): ConnectionGate {
  const reads = createLane(max, () => 2)
  // Writes of customers may wait long for each other, so three customers together leave room for others.
  const writes = createLane(max - reservedForReads(max), (isCustomer) => (isCustomer ? 4 : 2))
  let held = 0

  const fill = (): void => {
    // Reads first: they are short, and cannot take what writes hold.
    while (held < max && (reads.grantNext() || writes.grantNext()));
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

/** Work of the service itself has no account and no limit of its own. */
type Owner = string | undefined

/**
 * The connections that one kind of statement may hold.
 *
 * @param divisorFor one account may hold this part of them, but at least two
 */
function createLane(connections: number, divisorFor: (isCustomer: boolean) => number) {
  const queue = createFairQueue<Waiting>()
  const accounts = new Map<Owner, { held: number; share: number }>()
  let held = 0

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
  // Those that hold fewest come first.
  const rankOf = (owner: Owner): number => {
    const account = accountOf(owner)
    return account.held >= account.share ? Number.POSITIVE_INFINITY : owner === undefined ? 0 : account.held
  }

  return {
    /** Whether the request gets a connection without waiting: one is free, and nobody waits for it. */
    isFreeFor: (request: RequestContext | undefined): boolean => {
      const { held: own, share } = accountOfRequest(request)
      return held < connections && own < share && queue.count() === 0
    },
    take: (owner: Owner): void => {
      held += 1
      accountOf(owner).held += 1
    },
    leave: (owner: Owner): void => {
      held -= 1
      accountOf(owner).held -= 1
      forgetIdle(owner)
    },
    /** Gives a free connection to the next in turn. Returns false if there is none, or nobody to get it. */
    grantNext: (): boolean => {
      const next = held < connections ? queue.take(rankOf) : undefined
      next?.grant()
      return next !== undefined
    },
    /** Queues the present request. `take` is called as soon as it gets a connection. */
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
