import { createCounts } from '../concurrency/counts.ts'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { currentRequest, type RequestContext } from '../concurrency/request-context.ts'
import { isShareOfVisitors, networkOfShare, shareOf } from '../fair-share.ts'
import type { Payer, TransferBudgets } from './transfer-budgets.ts'

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
   * @throws the error of `beforeWriting` of the request
   */
  enter(mayWait: boolean): Promise<() => void>
  /** Counts the requests that wait for a connection. */
  waiting(): number
  /** Counts the requests that got no connection in time since the start, without those of owners who moved too much. */
  timeouts(): number
}

export class ConnectionTimeout extends Error {
  override readonly name = 'ConnectionTimeout'
}

/** The owner of a request has moved too many bytes. */
export class TransferLimited extends Error {
  override readonly name = 'TransferLimited'
  readonly retryAfterSeconds: number

  constructor(waitMs: number) {
    super('the caller has moved too many bytes')
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
  }
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
  const reads = createConnectionQueue(max - (max > 2 ? reservedFor(max) : 0), divisorFor, forLarge, budgets)
  const writes = createConnectionQueue(max - reservedFor(max), divisorFor, forLarge, budgets)
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
    const at = performance.now() + waitMs
    if (waitMs === timeoutMs || (planned !== undefined && planned.at <= at)) return
    clearTimeout(planned?.timer)
    const timer = setTimeout(() => {
      planned = undefined
      fill()
    }, Math.ceil(waitMs))
    planned = { timer: timer.unref(), at }
  }

  return {
    enter: async (mayWait) => {
      const request = currentRequest()
      // After the response, the context has no account any more.
      const isLarge = request?.sendsLargeBodies ?? false
      const { networkOfLarge } = request ?? {}
      const holder = { owner: ownerOf(request), network: networkOfVisitor(request), isLarge, networkOfLarge }
      const payer = request === undefined ? undefined : budgets?.payerOf(request)
      const lane = mayWait ? writes : reads
      const take = (): void => {
        held += 1
        if (request !== undefined) request.connections += 1
        lane.count(holder, 1)
      }
      const isNested = request !== undefined && request.connections > 0
      if (isNested || (held < max && lane.isFreeFor(request))) take()
      else {
        const granted = lane.wait(request, take, timeoutMs)
        fill()
        await granted
      }
      let isOver = false
      const leave = (): void => {
        if (isOver) return
        isOver = true
        held -= 1
        if (request !== undefined) {
          request.connections -= 1
          payer?.charge(request.movedBytes - request.chargedBytes)
          request.chargedBytes = request.movedBytes
        }
        lane.count(holder, -1)
        fill()
      }
      // A nested statement would wait in a transaction that has begun.
      if (mayWait && !isNested) await leaveIfItFails(leave, request?.beforeWriting)
      return leave
    },
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

/** After this time, a visitor waits like an established customer. */
const PATIENCE_MS = 1_000

interface Waiting {
  owner: string | undefined
  since: number
  /** Whether the request has waited because its owner has moved too many bytes. */
  isLimited: boolean
  grant: () => void
}

function noteLimited(waiting: Waiting, payer: Payer | undefined): void {
  if (waiting.isLimited) return
  waiting.isLimited = true
  payer?.note('waits')
}

/** Undefined for requests whose account is not known (yet), which have no share. */
type Owner = string | undefined

/** The owner of work of the service itself, such as jobs and webhooks, which has no share either. */
const SERVICE = 'service'

function ownerOf(request: RequestContext | undefined): Owner {
  if (request === undefined) return SERVICE
  const { account, signsIn } = request
  // It has no budget, and other requests of the same IP address have one.
  return account !== undefined && signsIn === true ? `${account} signs in` : account
}

/** The network of a guest, an anonymous caller or a new customer (`isShareOfVisitors`). Undefined for others. */
function networkOfVisitor(request: RequestContext | undefined): string | undefined {
  const { account, share, anonymousNetwork } = request ?? {}
  // After the response, the context has no account any more.
  if (account === undefined) return undefined
  if (anonymousNetwork !== undefined) return anonymousNetwork
  const name = share ?? shareOf(account)
  return isShareOfVisitors(name) ? networkOfShare(name) : undefined
}

/** Who holds a connection, and whether the account sent large bodies lately. */
interface Holder {
  owner: Owner
  /** Of a visitor. */
  network: string | undefined
  isLarge: boolean
  /** The network of the client of an account that sent large bodies. */
  networkOfLarge?: string | undefined
}

interface Account extends Omit<Holder, 'owner'> {
  held: number
  share: number
  payer?: Payer | undefined
  /** As it was when a connection was last given. */
  debtMs: number
}

/**
 * Manages the connections of one kind of statement: reads or writes.
 *
 * @param divisorFor number by which the connections are divided to get the share of one account, which is at least two
 * @param largeShare the most connections of all accounts together that send large bodies
 * @param budgets of the bytes of owners. Undefined: owners may move any number
 */
function createConnectionQueue(
  connections: number,
  divisorFor: (isCustomer: boolean) => number,
  largeShare = connections,
  budgets?: TransferBudgets,
) {
  const queue = createFairQueue<Waiting>()
  const accounts = new Map<Owner, Account>()
  // Guests and anonymous callers together get half, because a client may have any number of IP addresses.
  const guestShare = Math.max(2, Math.floor(connections / 2))
  // The visitors of one network get as much, because a client may register any number of accounts, which may all wait for
  // their own locks. All visitors, new customers too, leave some connections for others.
  const networkShare = guestShare
  const visitorShare = Math.max(2, Math.ceil((connections * 2) / 3))
  const heldByNetworks = createCounts()
  // The accounts of one network with large bodies get half of what all such accounts get. In rotation of accounts alone,
  // a client with many accounts would delay every other customer with a large design.
  const largeNetworkShare = Math.max(1, Math.min(2, largeShare - 1), Math.floor(largeShare / 2))
  const heldByLargeNetworks = createCounts()
  // Large records of visitors leave a connection for others with large records, and one for other visitors: signing in is
  // anonymous, too.
  const largeVisitorShare = Math.max(1, Math.min(largeShare, guestShare) - 1)
  let held = 0
  let heldByGuests = 0
  let heldByVisitors = 0
  let heldByLarge = 0
  let heldByLargeVisitors = 0
  let timeouts = 0

  const accountOf = (owner: Owner) => {
    let account = accounts.get(owner)
    if (account === undefined) {
      account = { held: 0, share: Number.POSITIVE_INFINITY, network: undefined, isLarge: false, debtMs: 0 }
      accounts.set(owner, account)
    }
    return account
  }
  const accountOfRequest = (request: RequestContext | undefined) => {
    const account = accountOf(ownerOf(request))
    if (request?.account !== undefined) {
      account.share = Math.max(2, Math.floor(connections / divisorFor(request.isCustomer)))
      account.network = networkOfVisitor(request)
      account.isLarge = request.sendsLargeBodies
      account.networkOfLarge = request.networkOfLarge
      account.payer = budgets?.payerOf(request)
    }
    return account
  }
  const forgetIdle = (owner: Owner): void => {
    if (accountOf(owner).held === 0 && queue.countOf(owner) === 0) accounts.delete(owner)
  }
  // Work of the service comes first, up to a quarter of the connections. In rotation, it would wait for one request of
  // each account, and many accounts could stop jobs and webhooks.
  const firstOfService = Math.max(1, Math.floor(connections / 4))
  const isTurnOf = (owner: Owner): boolean => {
    const account = accountOf(owner)
    const { network, isLarge, networkOfLarge } = account
    account.debtMs = account.payer?.waitMs() ?? 0
    if (account.debtMs > 0) return false
    if (isShareOfVisitors(owner) && heldByGuests >= guestShare) return false
    if (network !== undefined && heldByNetworks.of(network) >= networkShare) return false
    if (network !== undefined && heldByVisitors >= visitorShare) return false
    if (!isLarge) return true
    if (network !== undefined && heldByLargeVisitors >= largeVisitorShare) return false
    if (networkOfLarge !== undefined && heldByLargeNetworks.of(networkOfLarge) >= largeNetworkShare) return false
    return heldByLarge < largeShare
  }
  // Owners with the fewest connections come next. The visitors of a network count together: otherwise, others would wait for
  // a request of each of its accounts and addresses. Among owners with as many connections, those who have moved the least
  // come first, and visitors last, unless they have waited for long.
  const rankOf = (owner: Owner, first: Waiting): number => {
    const account = accountOf(owner)
    const { held: own, share, network, payer } = account
    if (owner === SERVICE) return own < firstOfService ? -1 : 0
    const isTurn = isTurnOf(owner)
    if (account.debtMs > 0) noteLimited(first, payer)
    if (!isTurn || own >= share) return Number.POSITIVE_INFINITY
    if (owner === undefined) return 0
    const moved = 0.4 * (payer?.used() ?? 0)
    if (network === undefined) return own + moved
    const waited = Math.min(1, (performance.now() - first.since) / PATIENCE_MS)
    return heldByNetworks.of(network) + 0.5 * (1 - waited) + moved
  }

  return {
    waiting: (): number => queue.count(),
    timeouts: (): number => timeouts,
    /** Milliseconds until an owner who waits because of the moved bytes may go on. Infinity if none does. */
    shortestDebtMs: (): number => {
      const debts = queue.owners().map(({ owner }) => accountOf(owner).debtMs)
      return Math.min(Number.POSITIVE_INFINITY, ...debts.filter((ms) => ms > 0))
    },
    /**
     * Tells whether the request gets a connection without waiting: a connection is free, the account has not used its
     * share, and no other request waits.
     */
    isFreeFor: (request: RequestContext | undefined): boolean => {
      const { held: own, share } = accountOfRequest(request)
      return held < connections && own < share && isTurnOf(ownerOf(request)) && queue.count() === 0
    },
    /** Counts a connection that is taken or freed. */
    count: ({ owner, network, isLarge, networkOfLarge }: Holder, change: 1 | -1): void => {
      held += change
      accountOf(owner).held += change
      if (isShareOfVisitors(owner)) heldByGuests += change
      if (network !== undefined) {
        heldByNetworks.add(network, change)
        heldByVisitors += change
        if (isLarge) heldByLargeVisitors += change
      }
      if (isLarge) heldByLarge += change
      if (isLarge && networkOfLarge !== undefined) heldByLargeNetworks.add(networkOfLarge, change)
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
      const owner = ownerOf(request)
      const { payer } = accountOfRequest(request)
      const refused = (leftMs: number): TransferLimited => {
        payer?.note('refusals')
        return new TransferLimited(leftMs)
      }
      // The request would keep its place in the queue in vain.
      const waitMs = payer?.waitMs() ?? 0
      if (waitMs > timeoutMs) {
        forgetIdle(owner)
        return Promise.reject(refused(waitMs))
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = setTimeout(() => {
        queue.remove(waiting)
        const leftMs = payer?.waitMs() ?? 0
        forgetIdle(owner)
        if (leftMs > 0) return reject(refused(leftMs))
        timeouts += 1
        reject(new ConnectionTimeout(`no database connection within ${timeoutMs} ms`))
      }, timeoutMs)
      const waiting: Waiting = {
        owner,
        since: performance.now(),
        isLimited: false,
        grant: () => {
          clearTimeout(timer)
          take()
          resolve()
        },
      }
      if (waitMs > 0) noteLimited(waiting, payer)
      queue.add(waiting)
      return promise
    },
  }
}
