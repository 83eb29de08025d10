import { rejectWhenGone } from './client-gone.ts'
import { createCounts } from './counts.ts'
import { hasDebt, runInTurn } from './debts.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { currentRequest } from './request-context.ts'

/**
 * Limits parallel work. Waiting work starts in order of arrival. Work of a request whose client disconnects while it waits
 * is rejected (`rejectWhenGone`), so work that several requests share must run outside of them (`runForAll`). A caller who
 * has moved too many bytes waits before it gets a permit, and not while it has one.
 */
export interface Semaphore {
  /** Runs work as soon as a permit is free. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface WaitingLimit {
  /** Maximum number of pieces of work that can wait. */
  max: number
  /** Creates the error for work that exceeds the limit. */
  whenFull: () => Error
}

export function createSemaphore(permits: number, waiting?: WaitingLimit): Semaphore {
  // The rotation of a single owner is the order of arrival.
  const { run } = createFairSemaphore(permits, waiting === undefined ? {} : { waiting })
  return { run: (work) => run(undefined, work) }
}

/** A semaphore for each key. A semaphore exists only while work uses it. */
export interface KeyedSemaphore {
  /** @param waiting limit of waiting work for this key. Default: the limit for all keys */
  run<Result>(key: string, permits: number, work: () => Promise<Result>, waiting?: WaitingLimit): Promise<Result>
}

export function createKeyedSemaphore(waiting?: WaitingLimit): KeyedSemaphore {
  const entries = new Map<string, { semaphore: Semaphore; users: number }>()
  return {
    run: async (key, permits, work, limit = waiting) => {
      const entry = entries.get(key) ?? { semaphore: createSemaphore(permits, limit), users: 0 }
      entries.set(key, entry)
      entry.users += 1
      try {
        return await entry.semaphore.run(work)
      } finally {
        entry.users -= 1
        if (entry.users === 0) entries.delete(key)
      }
    },
  }
}

/**
 * A semaphore that serves groups of owners in rotation, and the owners of a group too. If one owner has much waiting work,
 * another owner waits for only one piece of it. If too much work waits, the last piece of the owner with the most, in the
 * group with the most, is rejected. Work of a request whose client disconnects while it waits is rejected, too
 * (`rejectWhenGone`).
 */
export interface FairSemaphore {
  run<Result>(owner: string | undefined, work: () => Promise<Result>): Promise<Result>
}

export interface FairSemaphoreOptions {
  waiting?: WaitingLimit
  /** The group of an owner, such as the network of an address. By default, each owner is a group. */
  groupOf?: (owner: string | undefined) => string | undefined
  /** The most permits of one group, so that its long work leaves some to others. Default: all. */
  mostOfGroup?: number
  /**
   * Owners whose work starts before that of others, apart from every fourth piece, and who have half as many waiting places
   * of their own. Neither kind takes places of the other.
   */
  isPreferred?: (owner: string | undefined) => boolean
}

const PLACES_OF_PREFERRED = 0.5
/** The most pieces of preferred work in a row while other work waits. Otherwise one preferred owner could keep out all. */
const PREFERRED_IN_A_ROW = 3
/** More than the number of any turn. */
const AFTER_ALL_TURNS = 2 ** 40
/** Beyond this number of groups, all have the same turn again. */
const MAX_GROUPS = 10_000

export function createFairSemaphore(permits: number, options: FairSemaphoreOptions = {}): FairSemaphore {
  const { waiting: waitingLimit, isPreferred = () => false, groupOf = (owner) => owner } = options
  const waiting = createFairQueue<Waiting>()
  const turns = createTurns()
  const held = createPermits(permits, { groupOf, mostOfGroup: options.mostOfGroup ?? permits })
  const countOf = (isConsidered: (owner: string | undefined) => boolean): number =>
    waiting.owners().reduce((count, { owner, jobs }) => (isConsidered(owner) ? count + jobs.length : count), 0)
  const makeRoomFor = (owner: string | undefined, { max, whenFull }: WaitingLimit): void => {
    const places = isPreferred(owner) ? max * PLACES_OF_PREFERRED : max
    const isConsidered = (one: string | undefined) => isPreferred(one) === isPreferred(owner)
    if (countOf(isConsidered) < places) return
    const last = lastOfHeavier(waiting, { owner, groupOf, isConsidered })
    if (last === undefined) throw whenFull()
    waiting.remove(last)
    last.refuse(whenFull())
  }
  let preferredInARow = 0
  const takeNext = () => {
    const isTurnOfOthers = preferredInARow >= PREFERRED_IN_A_ROW
    const isFirst = (owner: string | undefined) => isPreferred(owner) !== isTurnOfOthers
    const rankOf = (owner: string | undefined): number =>
      held.mayHaveMore(owner)
        ? turns.of(groupOf(owner)) + (isFirst(owner) ? 0 : AFTER_ALL_TURNS)
        : Number.POSITIVE_INFINITY
    const next = waiting.take(rankOf)
    preferredInARow = next !== undefined && isPreferred(next.owner) ? preferredInARow + 1 : 0
    if (next !== undefined) turns.take(groupOf(next.owner))
    return next
  }
  /** Returns undefined if a permit is free, so that the work begins at once. */
  const takePermit = (owner: string | undefined): Promise<void> | undefined => {
    if (held.isFreeFor(owner)) {
      held.count(owner, 1)
      return undefined
    }
    if (waitingLimit !== undefined) makeRoomFor(owner, waitingLimit)
    turns.join(groupOf(owner))
    return untilStarted(waiting, owner)
  }
  /** Passes the permit of work that ends to the next waiting work. */
  const passPermit = (owner: string | undefined): void => {
    held.count(owner, -1)
    const next = takeNext()
    if (next !== undefined) {
      held.count(next.owner, 1)
      next.start()
    } else if (waiting.count() === 0) turns.clear()
  }
  return {
    run: async (owner, work) => {
      const request = currentRequest()
      for (;;) {
        if (request !== undefined && hasDebt(request)) await request.debts?.untilPaid(request)
        const permit = takePermit(owner)
        if (permit !== undefined) await permit
        // Other requests of the caller may have moved bytes while this one waited for its permit.
        if (request === undefined || !hasDebt(request)) break
        passPermit(owner)
      }
      try {
        return await runInTurn(work)
      } finally {
        passPermit(owner)
      }
    },
  }
}

/** Counts the permits that are held, in all and by each group. */
function createPermits(
  permits: number,
  { groupOf, mostOfGroup }: Required<Pick<FairSemaphoreOptions, 'groupOf' | 'mostOfGroup'>>,
) {
  let held = 0
  const heldBy = createCounts()
  const keyOf = (owner: string | undefined): string => groupOf(owner) ?? ''
  const mayHaveMore = (owner: string | undefined): boolean => heldBy.of(keyOf(owner)) < mostOfGroup
  return {
    mayHaveMore,
    isFreeFor: (owner: string | undefined): boolean => held < permits && mayHaveMore(owner),
    count: (owner: string | undefined, change: 1 | -1): void => {
      held += change
      heldBy.add(keyOf(owner), change)
    },
  }
}

interface Waiting {
  owner: string | undefined
  start: () => void
  refuse: (why: Error) => void
}

async function untilStarted(waiting: FairQueue<Waiting>, owner: string | undefined): Promise<void> {
  const { promise, resolve: start, reject: refuse } = Promise.withResolvers<void>()
  const work = { owner, start, refuse }
  waiting.add(work)
  const stop = rejectWhenGone(currentRequest(), 'work', (error) => {
    if (waiting.remove(work)) refuse(error)
  })
  try {
    await promise
  } finally {
    stop()
  }
}

/** The turns of groups: the group whose last turn is the longest ago has the lowest number. */
function createTurns() {
  const turns = new Map<string | undefined, number>()
  let last = 0
  const of = (group: string | undefined) => turns.get(group) ?? last
  return {
    of,
    /** Adds a group with the last turn, so that it waits for each group that waits already. */
    join: (group: string | undefined) => void turns.set(group, of(group)),
    take: (group: string | undefined) => {
      last += 1
      if (turns.size > MAX_GROUPS) turns.clear()
      turns.set(group, last)
    },
    clear: () => turns.clear(),
  }
}

interface Comparison {
  owner: string | undefined
  groupOf: (owner: string | undefined) => string | undefined
  isConsidered: (owner: string | undefined) => boolean
}

/**
 * Finds the waiting work that makes room for work of an owner: the last piece of the owner with the most, in the group
 * with the most. Undefined if the owner would then have as much.
 */
function lastOfHeavier(queue: FairQueue<Waiting>, { owner, groupOf, isConsidered }: Comparison): Waiting | undefined {
  const ofGroups = new Map<string | undefined, number>()
  for (const { owner: one, jobs } of queue.owners()) {
    if (isConsidered(one)) ofGroups.set(groupOf(one), (ofGroups.get(groupOf(one)) ?? 0) + jobs.length)
  }
  const own = groupOf(owner)
  const [heaviest] = [...ofGroups].reduce((most, group) => (group[1] > most[1] ? group : most), [own, 0] as const)
  const isHeavier = (ofGroups.get(heaviest) ?? 0) > (ofGroups.get(own) ?? 0) + 1
  const group = isHeavier ? heaviest : own
  const last = queue.lastOfLongest((one) => isConsidered(one) && groupOf(one) === group)
  if (last === undefined || isHeavier) return last
  return queue.countOf(last.owner) > queue.countOf(owner) + 1 ? last : undefined
}

/** As `groupOf`, for owners that begin with their network and a space: networks take turns, then their accounts. */
export const networkOfOwner = (owner: string | undefined): string | undefined => owner?.split(' ', 1)[0]
