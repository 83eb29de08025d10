import { isShareOfVisitors } from '../../platform/fair-share.ts'
import { eventProblems } from '../problems.ts'

/** Maximum number of open streams in this node. */
export interface EventStreamLimits {
  perUser: number
  /**
   * A tenth of these streams is reserved for operators and administrators, and half of the rest for customers who have
   * paid, but never the only one.
   */
  total: number
}

/** The part of all streams that customers may use together, so that they cannot keep operators out of the console. */
const PART_OF_CUSTOMERS = 0.9

/**
 * The part of the streams of customers that visitors may use together: customers who have registered and have not paid
 * yet. A client may register any number of accounts.
 */
const PART_OF_VISITORS = 0.5

/** The part of all streams that the visitors of one network may use together. It is at least the limit of an account. */
const PART_OF_NETWORK = 0.05

/** The account that opens a stream. */
export interface Opener {
  userId: string
  isCustomers: boolean
  /** The share of the account (`findShare`). */
  share: string
  /** Ends the stream, because another account needs its place. The client can continue it where it ended. */
  end(): void
}

/** Counts the open streams of this node. */
export interface Places {
  /**
   * Takes a place for a stream. If visitors have all of their places, the network with the most streams loses one to a
   * visitor whose network has at least two fewer, and within a network the account with the most streams. Returns a
   * function that gives the place back.
   *
   * @throws `too_many_event_streams`, `event_streams_full`
   */
  take(opener: Opener): () => void
}

export function createPlaces({ perUser, total }: EventStreamLimits): Places {
  const ofCustomers = Math.max(1, Math.floor(total * PART_OF_CUSTOMERS))
  const ofVisitors = Math.max(1, Math.floor(ofCustomers * PART_OF_VISITORS))
  const ofNetwork = Math.max(perUser, Math.floor(total * PART_OF_NETWORK))
  const taken = new Set<Opener>()
  const those = (isChosen: (one: Opener) => boolean): Opener[] => [...taken].filter(isChosen)
  const isOfCustomers = ({ isCustomers }: Opener): boolean => isCustomers

  const isFull = ({ isCustomers }: Opener): boolean =>
    taken.size >= total || (isCustomers && those(isOfCustomers).length >= ofCustomers)

  const requireOwn = ({ userId }: Opener): void => {
    const own = those((one) => one.userId === userId).length
    if (own < perUser) return
    throw tooMany(`The account has ${own} open event streams, which is the maximum.`)
  }

  const giveUp = (one: Opener): void => {
    taken.delete(one)
    one.end()
  }

  const requireOfNetwork = (opener: Opener): void => {
    const own = those(({ share }) => share === opener.share)
    if (own.length < ofNetwork) return
    const spare = leastFair(own, opener, ({ userId }) => userId)
    if (spare === undefined) throw tooManyOfNetwork(own.length)
    giveUp(spare)
  }

  const requireOfVisitors = (opener: Opener): void => {
    const visitors = those(isVisitors)
    if (visitors.length < ofVisitors) return
    const spare = leastFair(visitors, opener, ({ share }) => share)
    if (spare === undefined) throw full()
    giveUp(spare)
  }

  return {
    take: (opener) => {
      if (isFull(opener)) throw full()
      requireOwn(opener)
      if (isVisitors(opener)) {
        requireOfNetwork(opener)
        requireOfVisitors(opener)
      }
      taken.add(opener)
      return () => taken.delete(opener)
    },
  }
}

/**
 * Returns the newest stream of the account with the most streams in the largest group, if the group of the opener has
 * fewer streams even after it has taken this place. Otherwise groups would take places from each other without end.
 */
function leastFair(streams: readonly Opener[], opener: Opener, groupOf: (one: Opener) => string): Opener | undefined {
  const groups = Object.groupBy(streams, groupOf)
  const own = groups[groupOf(opener)]?.length ?? 0
  const largest = largestOf(groups)
  if (largest.length < own + 2) return undefined
  return largestOf(Object.groupBy(largest, ({ userId }) => userId)).at(-1)
}

function largestOf(groups: Partial<Record<string, Opener[]>>): Opener[] {
  return Object.values(groups).reduce<Opener[]>(
    (largest, group = []) => (group.length > largest.length ? group : largest),
    [],
  )
}

function isVisitors({ isCustomers, share }: Opener): boolean {
  return isCustomers && isShareOfVisitors(share)
}

function tooManyOfNetwork(count: number) {
  return tooMany(
    `Customers without a paid order have ${count} open event streams from your network, which is the maximum.`,
  )
}

function full() {
  return eventProblems.event_streams_full({ headers: { 'Retry-After': '5' } })
}

function tooMany(detail: string) {
  return eventProblems.too_many_event_streams({ detail, headers: { 'Retry-After': '10' } })
}
