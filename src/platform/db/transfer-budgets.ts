import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../concurrency/request-context.ts'
import { isShareOfVisitors, networkOfShare, shareOf } from '../fair-share.ts'

const MIB = 1024 * 1024

interface Rates {
  /** Bytes per second of one owner. */
  ofOne: number
  /** Bytes per second of all owners together that move much. */
  ofAll: number
  /** Bytes that an owner may move at once, after a while without any. */
  burst: number
}

/**
 * Reading, converting and writing a megabyte keeps a processor busy for 10 to 30 ms, so visitors can take about a quarter
 * of one. Ordinary records have some kilobytes: at the usual rate limits, they stay far below.
 */
const OF_VISITORS: Rates = { ofOne: 4 * MIB, ofAll: 8 * MIB, burst: 4 * MIB }

const OF_ESTABLISHED: Rates = { ofOne: 8 * MIB, ofAll: 24 * MIB, burst: 16 * MIB }

/** Owners with more than this are among those who share the bytes of all. */
const MUCH = MIB

const REMEMBERED_OWNERS = 10_000

/** Whose bytes a request counts as. */
export interface Payer {
  /** Counts bytes that the request has moved. */
  charge(bytes: number): void
  /** Milliseconds until the owner may move more, 0 if it may now. */
  waitMs(): number
  /** From 0, for an owner that has moved nothing lately, to 1, for one that has to wait. */
  used(): number
}

/** Limits how many bytes customers and anonymous callers move between this process and the database. */
export interface TransferBudgets {
  /** Undefined for staff and for the service itself, which have no limit. */
  payerOf(request: RequestContext): Payer | undefined
}

/**
 * Creates budgets in bytes, whatever the operations are. A limit of requests alone would let a customer with records of a
 * megabyte keep a processor busy, and limits of single operations miss the next one.
 *
 * Visitors pay as the network of their client, because a client may have any number of accounts.
 */
export function createTransferBudgets(
  visitors: Rates = OF_VISITORS,
  established: Rates = OF_ESTABLISHED,
  nowMs: () => number = () => performance.now(),
): TransferBudgets {
  const ofVisitors = createBuckets(visitors, nowMs)
  const ofEstablished = createBuckets(established, nowMs)
  return {
    payerOf: ({ account, share, isCustomer, anonymousNetwork }) => {
      if (anonymousNetwork !== undefined) return ofVisitors.payer(anonymousNetwork)
      if (account === undefined || !isCustomer) return undefined
      const owner = share ?? shareOf(account)
      return isShareOfVisitors(owner) ? ofVisitors.payer(networkOfShare(owner)) : ofEstablished.payer(owner)
    },
  }
}

/** The bytes of an owner that are not worked off yet, at a time. */
interface Bucket {
  level: number
  at: number
}

/** A leaky bucket for each owner. Those with much in them share a rate. */
function createBuckets({ ofOne, ofAll, burst }: Rates, nowMs: () => number) {
  const buckets = new LRUCache<string, Bucket>({ max: REMEMBERED_OWNERS })
  const full = new Set<string>()
  const rateOf = (owner: string): number => (full.has(owner) ? Math.min(ofOne, ofAll / full.size) : ofOne)

  const settle = (owner: string): Bucket => {
    const now = nowMs()
    const before = buckets.get(owner) ?? { level: 0, at: now }
    const level = Math.max(0, before.level - ((now - before.at) / 1_000) * rateOf(owner))
    const bucket = { level, at: now }
    buckets.set(owner, bucket)
    if (level <= MUCH) full.delete(owner)
    return bucket
  }

  return {
    payer: (owner: string): Payer => ({
      charge: (bytes) => {
        const bucket = settle(owner)
        bucket.level += bytes
        if (bucket.level <= MUCH) return
        // Others of them may have come to an end since they moved something.
        if (!full.has(owner)) for (const other of full) settle(other)
        full.add(owner)
      },
      waitMs: () => {
        const known = buckets.get(owner)
        if (known === undefined || known.level <= burst) return 0
        const { level } = settle(owner)
        return level <= burst ? 0 : ((level - burst) / rateOf(owner)) * 1_000
      },
      used: () => (buckets.peek(owner) === undefined ? 0 : Math.min(1, settle(owner).level / burst)),
    }),
  }
}
