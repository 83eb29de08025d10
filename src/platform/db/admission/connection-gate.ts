import { currentRequest, type RequestContext, runInRequest } from '../../concurrency/request-context.ts'
import { type ConnectionQueue, createConnectionQueue, type Holder, holderOf } from './connection-queue.ts'
import type { TransferBudgets } from './transfer-budgets.ts'

export { ConnectionTimeout, TransferLimited } from './connection-queue.ts'

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
   * @throws {TransferLimited} if the owner has moved too many bytes to get one in time
   * @throws {ClientGone} if the client disconnects while the request waits, and the request has not begun to write
   * @throws the error of `beforeWriting` of the request
   */
  enter(mayWait: boolean): Promise<() => void>
  /**
   * Does the same for a read, with functions in place of a promise: when a connection is freed, the next request uses it
   * before the one that had it goes on, so that the database need not wait for the work between them.
   */
  enterRead(go: (leave: () => void) => void, refuse: (error: Error) => void): void
  /** Counts the requests that wait for a connection. */
  waiting(): number
  /** Counts the requests that got no connection in time since the start, without those of owners who moved too much. */
  timeouts(): number
}

export interface GateOptions {
  max: number
  timeoutMs: number
  /** Requests of owners who have moved too many bytes wait. Undefined: none does. */
  budgets?: TransferBudgets | undefined
}

/** Returns how many connections are reserved for reads, and as many for writes: a fifth of the pool each. */
export function reservedFor(max: number): number {
  return max === 1 ? 0 : Math.max(1, Math.floor(max / 5))
}

export function createConnectionGate({ max, timeoutMs, budgets }: GateOptions): ConnectionGate {
  // One customer may use a quarter of each kind. Writes may wait long for each other, and reads of large documents keep
  // the database busy. Three customers together then leave some connections for others.
  const divisorFor = (isCustomer: boolean) => (isCustomer ? 4 : 2)
  // All accounts together with large bodies or records get a third of each kind, but three in a small pool. Otherwise they
  // could keep all busy.
  const forLarge = Math.max(1, Math.min(3, max - 1), Math.floor(max / 3))
  const reads = createConnectionQueue(max - (max > 2 ? reservedFor(max) : 0), divisorFor, forLarge)
  const writes = createConnectionQueue(max - reservedFor(max), divisorFor, forLarge)
  let held = 0
  let isTurnOfReads = true
  let planned: { timer: NodeJS.Timeout; at: number } | undefined

  // Reads and writes take turns, so that neither can keep the other from getting a connection.
  const fill = (): void => {
    while (held < max) {
      const [first, second] = isTurnOfReads ? [reads, writes] : [writes, reads]
      isTurnOfReads = !isTurnOfReads
      if (first.grantNext() || second.grantNext()) continue
      planFill()
      return
    }
  }

  // Owners who have moved too much may go on after some time, and not when a connection is freed.
  const planFill = (): void => {
    const waitMs = Math.min(reads.shortestDebtMs(), writes.shortestDebtMs(), timeoutMs)
    if (waitMs === timeoutMs) return
    const at = performance.now() + waitMs
    if (planned !== undefined && planned.at <= at) return
    clearTimeout(planned?.timer)
    const timer = setTimeout(() => {
      planned = undefined
      fill()
    }, Math.ceil(waitMs))
    planned = { timer: timer.unref(), at }
  }

  /** Counts a connection. Returns the function that frees it. */
  const take = (lane: ConnectionQueue, holder: Holder, request: RequestContext | undefined): (() => void) => {
    held += 1
    if (request !== undefined) request.connections += 1
    lane.count(holder, 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      held -= 1
      if (request !== undefined) {
        request.connections -= 1
        holder.payer?.charge(request.movedBytes - request.chargedBytes)
        request.chargedBytes = request.movedBytes
      }
      lane.count(holder, -1)
      if (reads.waiting() + writes.waiting() > 0) fill()
    }
  }

  const enterLane = (
    lane: ConnectionQueue,
    request: RequestContext | undefined,
    go: (leave: () => void) => void,
    refuse: (error: Error) => void,
  ): void => {
    // After the response, the context has no account any more.
    const holder = holderOf(request, budgets)
    const isNested = request !== undefined && request.connections > 0
    if (isNested || (held < max && lane.isFreeFor(holder))) {
      go(take(lane, holder, request))
      return
    }
    // Another request frees the connection, in its own context.
    const grant = (): void => runInRequest(request, () => go(take(lane, holder, request)))
    lane.wait(holder, { request, timeoutMs, grant, refuse })
    fill()
  }

  return {
    enter: async (mayWait) => {
      const request = currentRequest()
      const isNested = request !== undefined && request.connections > 0
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      enterLane(mayWait ? writes : reads, request, resolve, reject)
      const leave = await promise
      if (mayWait && request !== undefined) request.hasBegunToWrite = true
      // A nested statement would wait in a transaction that has begun.
      if (mayWait && !isNested) await leaveIfItFails(leave, request?.beforeWriting)
      return leave
    },
    enterRead: (go, refuse) => enterLane(reads, currentRequest(), go, refuse),
    waiting: () => reads.waiting() + writes.waiting(),
    timeouts: () => reads.timeouts() + writes.timeouts(),
  }
}

async function leaveIfItFails(leave: () => void, check: (() => Promise<void>) | undefined): Promise<void> {
  try {
    await check?.()
  } catch (error) {
    leave()
    throw error
  }
}
