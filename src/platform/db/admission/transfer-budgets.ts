import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../../concurrency/request-context.ts'
import { isShareOfVisitors, networkOfShare, shareOf } from '../../fair-share.ts'

/** All for one process. */
interface Rates {
  /** Bytes per second of one owner. */
  ofOne: number
  /** Bytes per second of all owners together that have to wait. */
  ofAll: number
  /** Bytes that an owner may move at once, after a while without any. */
  burst: number
}

export interface TransferRates {
  visitors: Rates
  established: Rates
}

/**
 * Returns the rates of all callers for that of one customer. With 8 MiB/s, visitors take about a tenth of a processor,
 * because reading, converting and writing a megabyte takes 10 to 30 ms. Ordinary records have some kilobytes: at the
 * usual rate limits, they stay far below.
 */
export function transferRates(bytesPerSecond: number): TransferRates {
  const ofVisitors = bytesPerSecond / 2
  return {
    visitors: { ofOne: ofVisitors, ofAll: ofVisitors, burst: ofVisitors },
    established: { ofOne: bytesPerSecond, ofAll: 3 * bytesPerSecond, burst: 2 * bytesPerSecond },
  }
}

/** However many owners share a rate, one gets this part of its own: many networks must not lock out an office. */
const LEAST_SHARE = 1 / 8

/** The debt of an owner grows up to this many seconds of its rate, so that one large request causes no refusals. */
const MOST_DEBT_SECONDS = 2

const REMEMBERED_OWNERS = 10_000

/** How often owners that no longer wait are found among those that share a rate. */
const SETTLE_EVERY_MS = 100

/** Kinds of callers with a budget: customers, guests with new customers, and callers without a credential. */
type BudgetKind = 'customer' | 'newcomer' | 'anonymous'

/** What callers did. */
export interface BudgetUse {
  /** Bytes that were charged. */
  bytes: number
  /** Requests that waited for a connection because of the bytes of their owner. */
  waits: number
  /** Requests that were refused because of them. */
  refusals: number
}

/** What the callers of each kind did since the start. */
export type TransferUse = Readonly<Record<BudgetKind, Readonly<BudgetUse>>>

/** Whose bytes a request counts as. */
export interface Payer {
  /** Counts bytes that the request has moved. */
  charge(bytes: number): void
  /** Milliseconds until the owner may move more, 0 if it may now. */
  waitMs(): number
  /** From 0, for an owner that has moved nothing lately, to 1, for one that has to wait. */
  used(): number
  /** Counts a request of the owner that has to wait, or is refused. */
  note(what: 'waits' | 'refusals'): void
}

/** Limits how many bytes customers and anonymous callers move between this process and the database. */
export interface TransferBudgets {
  /** Undefined for staff and for the service itself, which have no limit, and for signing in, which has one of its own. */
  payerOf(request: RequestContext): Payer | undefined
  use: TransferUse
}

/**
 * Creates budgets in bytes, whatever the operations are. A limit of requests alone would let a customer with records of a
 * megabyte keep a processor busy, and limits of single operations miss the next one.
 *
 * Visitors pay as the network of their client, because a client may have any number of accounts.
 */
export function createTransferBudgets(
  { visitors, established }: TransferRates,
  nowMs: () => number = () => performance.now(),
): TransferBudgets {
  const use = { customer: noUse(), newcomer: noUse(), anonymous: noUse() }
  const ofVisitors = createBuckets(visitors, nowMs)
  const ofEstablished = createBuckets(established, nowMs)
  return {
    payerOf: ({ account, share, isCustomer, anonymousNetwork, signsIn }) => {
      // After the response, the context has no account any more.
      if (account === undefined || signsIn === true) return undefined
      if (anonymousNetwork !== undefined) return ofVisitors.payer(anonymousNetwork, use.anonymous)
      if (!isCustomer) return undefined
      const owner = share ?? shareOf(account)
      return isShareOfVisitors(owner)
        ? ofVisitors.payer(networkOfShare(owner), use.newcomer)
        : ofEstablished.payer(owner, use.customer)
    },
    use,
  }
}

function noUse(): BudgetUse {
  return { bytes: 0, waits: 0, refusals: 0 }
}

/** The bytes of an owner that are not worked off yet, at a time. */
interface Bucket {
  level: number
  at: number
}

/** A leaky bucket for each owner. Those whose buckets are full share a rate. */
function createBuckets({ ofOne, ofAll, burst }: Rates, nowMs: () => number) {
  const buckets = new LRUCache<string, Bucket>({ max: REMEMBERED_OWNERS })
  const full = new Set<string>()
  let settledAt = Number.NEGATIVE_INFINITY

  const rateOf = (owner: string): number =>
    full.has(owner) ? Math.max(ofOne * LEAST_SHARE, Math.min(ofOne, ofAll / full.size)) : ofOne

  const settle = (owner: string, bytes = 0): Bucket => {
    const now = nowMs()
    const before = buckets.get(owner) ?? { level: 0, at: now }
    const left = Math.max(0, before.level - ((now - before.at) / 1_000) * rateOf(owner))
    const bucket = { level: Math.min(left + bytes, burst + MOST_DEBT_SECONDS * ofOne), at: now }
    buckets.set(owner, bucket)
    if (bucket.level > burst) full.add(owner)
    else full.delete(owner)
    return bucket
  }

  /** Owners that have stopped would otherwise keep their part of the rate. */
  const settleFull = (): void => {
    if (nowMs() - settledAt < SETTLE_EVERY_MS) return
    settledAt = nowMs()
    for (const owner of [...full]) settle(owner)
  }

  return {
    payer: (owner: string, use: BudgetUse): Payer => ({
      charge: (bytes) => {
        if (bytes <= 0) return
        settle(owner, bytes)
        use.bytes += bytes
      },
      waitMs: () => {
        if (!full.has(owner)) return 0
        settleFull()
        const { level } = settle(owner)
        return level <= burst ? 0 : ((level - burst) / rateOf(owner)) * 1_000
      },
      used: () => {
        const known = buckets.peek(owner)
        return known === undefined ? 0 : Math.min(1, known.level / burst)
      },
      note: (what) => {
        use[what] += 1
      },
    }),
  }
}
