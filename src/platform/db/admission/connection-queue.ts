import { rejectWhenGone } from '../../concurrency/client-gone.ts'
import { createCounts } from '../../concurrency/counts.ts'
import { createGroupedQueue, type GroupedJob } from '../../concurrency/grouped-queue.ts'
import type { RequestContext } from '../../concurrency/request-context.ts'
import { isShareOfVisitors, networkOfShare, shareOf } from '../../fair-share.ts'
import type { Payer, TransferBudgets } from './transfer-budgets.ts'

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

/** Counts and returns the refusal of a request whose owner has to wait for so long. */
export function refusalOf(payer: Payer | undefined, waitMs: number): TransferLimited {
  payer?.note('refusals')
  return new TransferLimited(waitMs)
}

/** After this time, a visitor waits like an established customer. */
const PATIENCE_MS = 1_000

/** Undefined for requests whose account is not known (yet), which have no share. */
type Owner = string | undefined

/** The owner of work of the service itself, such as jobs and webhooks, which has no share either. */
const SERVICE = 'service'

/** Who holds a connection or waits for one. */
export interface Holder {
  owner: Owner
  /** Undefined for requests without an account. */
  isCustomer: boolean | undefined
  signsIn: boolean
  /** Of a visitor. */
  network: string | undefined
  /** Whether the account sent large bodies lately. */
  isLarge: boolean
  /** The network of the client of an account that sent large bodies. */
  networkOfLarge: string | undefined
  payer: Payer | undefined
  /** The payer whose debt the request waits for. Undefined in a turn for which others wait. */
  debtor: Payer | undefined
}

/** @param budgets undefined: owners may move any number of bytes */
export function holderOf(request: RequestContext | undefined, budgets: TransferBudgets | undefined): Holder {
  const payer = request === undefined ? undefined : budgets?.payerOf(request)
  return {
    owner: ownerOf(request),
    // After the response, the context has no account any more.
    isCustomer: request?.account === undefined ? undefined : request.isCustomer,
    signsIn: request?.signsIn === true,
    network: networkOfVisitor(request),
    isLarge: request?.sendsLargeBodies ?? false,
    networkOfLarge: request?.networkOfLarge,
    payer,
    debtor: request?.turns === 0 ? payer : undefined,
  }
}

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

/**
 * The waiting requests to which the same limits apply: those of an owner, or those of all visitors of a network, of whom
 * there may be thousands.
 */
interface Group extends Holder {
  key: string
  /** As it was when a connection was last given. */
  debtMs: number
}

function groupOf(holder: Holder): Group {
  const { owner, network, networkOfLarge, isCustomer, signsIn, isLarge, debtor } = holder
  const isGuest = isShareOfVisitors(owner)
  const waitsForDebt = debtor !== undefined
  // Neither ids nor networks contain a line break.
  const key = `${network ?? `\n${owner ?? ''}`}\n${networkOfLarge ?? ''}\n${isGuest} ${isCustomer} ${signsIn} ${isLarge} ${waitsForDebt}`
  return { ...holder, key, debtMs: 0 }
}

interface Waiting extends GroupedJob<Group> {
  since: number
  /** Whether the request has waited because its owner has moved too many bytes. */
  isLimited: boolean
  grant: () => void
}

interface Entry {
  request: RequestContext | undefined
  timeoutMs: number
  /** Called as soon as the request gets a connection. */
  grant: () => void
  /** Called if it gets none. */
  refuse: (error: Error) => void
}

function noteLimited(waiting: Waiting, payer: Payer | undefined): void {
  if (waiting.isLimited) return
  waiting.isLimited = true
  payer?.note('waits')
}

export type ConnectionQueue = ReturnType<typeof createConnectionQueue>

/**
 * Manages the connections of one kind of statement: reads or writes.
 *
 * @param divisorFor number by which the connections are divided to get the share of one account, which is at least two
 * @param largeShare the most connections of all accounts together that send large bodies
 */
export function createConnectionQueue(
  connections: number,
  divisorFor: (isCustomer: boolean) => number,
  largeShare = connections,
) {
  const queue = createGroupedQueue<Group, Waiting>()
  const heldByOwners = new Map<Owner, number>()
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

  const heldBy = (owner: Owner): number => heldByOwners.get(owner) ?? 0
  const hasRoom = ({ owner, isCustomer }: Pick<Holder, 'owner' | 'isCustomer'>): boolean => {
    if (isCustomer === undefined) return true
    return heldBy(owner) < Math.max(2, Math.floor(connections / divisorFor(isCustomer)))
  }
  // Work of the service comes first, up to a quarter of the connections. In rotation, it would wait for one request of
  // each account, and many accounts could stop jobs and webhooks.
  const firstOfService = Math.max(1, Math.floor(connections / 4))
  const isTurnOf = ({ owner, network, isLarge, networkOfLarge }: Holder): boolean => {
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
  const rankOf = (group: Group, next: Waiting | undefined): number => {
    const { owner, network, payer, debtor } = group
    if (owner === SERVICE) return heldBy(SERVICE) < firstOfService ? -1 : 0
    group.debtMs = debtor?.waitMs() ?? 0
    if (next === undefined) return Number.POSITIVE_INFINITY
    if (group.debtMs > 0) noteLimited(next, debtor)
    if (group.debtMs > 0 || !isTurnOf(group)) return Number.POSITIVE_INFINITY
    if (owner === undefined) return 0
    const moved = 0.4 * (payer?.used() ?? 0)
    if (network === undefined) return heldBy(owner) + moved
    const waited = Math.min(1, (performance.now() - next.since) / PATIENCE_MS)
    return heldByNetworks.of(network) + 0.5 * (1 - waited) + moved
  }

  return {
    waiting: (): number => queue.count(),
    timeouts: (): number => timeouts,
    /** Milliseconds until an owner who waits because of the moved bytes may go on. Infinity if none does. */
    shortestDebtMs: (): number => {
      let shortest = Number.POSITIVE_INFINITY
      queue.forEachGroup(({ debtMs }) => {
        if (debtMs > 0 && debtMs < shortest) shortest = debtMs
      })
      return shortest
    },
    /**
     * Tells whether a request gets a connection without waiting: a connection is free, the account has not used its
     * share, and no other request waits.
     */
    isFreeFor: (holder: Holder): boolean =>
      held < connections &&
      queue.count() === 0 &&
      hasRoom(holder) &&
      (holder.debtor?.waitMs() ?? 0) === 0 &&
      isTurnOf(holder),
    /** Counts a connection that is taken or freed. */
    count: ({ owner, network, isLarge, networkOfLarge }: Holder, change: 1 | -1): void => {
      held += change
      const own = heldBy(owner) + change
      if (own === 0) heldByOwners.delete(owner)
      else heldByOwners.set(owner, own)
      if (isShareOfVisitors(owner)) heldByGuests += change
      if (network !== undefined) {
        heldByNetworks.add(network, change)
        heldByVisitors += change
        if (isLarge) heldByLargeVisitors += change
      }
      if (isLarge) heldByLarge += change
      if (isLarge && networkOfLarge !== undefined) heldByLargeNetworks.add(networkOfLarge, change)
    },
    /** Gives a free connection to the next request. Returns false if no connection is free or no request waits. */
    grantNext: (): boolean => {
      const mayServe = ({ owner, group: { isCustomer } }: Waiting) => hasRoom({ owner, isCustomer })
      const next = held < connections ? queue.take(rankOf, mayServe) : undefined
      next?.grant()
      return next !== undefined
    },
    /** Queues a request. */
    wait: (holder: Holder, { request, timeoutMs, grant, refuse }: Entry): void => {
      const { owner, debtor } = holder
      // The request would keep its place in the queue in vain.
      const waitMs = debtor?.waitMs() ?? 0
      if (waitMs > timeoutMs) {
        refuse(refusalOf(debtor, waitMs))
        return
      }
      const end = (): void => {
        clearTimeout(timer)
        stop?.()
      }
      const granted = (): void => {
        end()
        grant()
      }
      const waiting: Waiting = {
        owner,
        group: groupOf(holder),
        since: performance.now(),
        isLimited: false,
        grant: granted,
      }
      if (waitMs > 0) noteLimited(waiting, debtor)
      queue.add(waiting)
      const timer = setTimeout(() => {
        queue.remove(waiting)
        end()
        const leftMs = debtor?.waitMs() ?? 0
        if (leftMs > 0) return refuse(refusalOf(debtor, leftMs))
        timeouts += 1
        refuse(new ConnectionTimeout(`no database connection within ${timeoutMs} ms`))
      }, timeoutMs)
      let stop: (() => void) | undefined
      stop = rejectWhenGone(request, 'statement', (error) => {
        if (!queue.remove(waiting)) return
        end()
        refuse(error)
      })
    },
  }
}
