import type { Trx } from '../../platform/db/index.ts'
import type { EventPosition } from '../../platform/outbox/index.ts'
import type { WebhookDeps } from '../context.ts'
import { insertDeliveries, type NewDelivery } from '../deliveries/store.ts'
import {
  type Capacity,
  findFull,
  hasBehind,
  hasNewEvents,
  leaveBehind,
  listBehind,
  lockCursor,
  moveBehind,
  moveCursor,
  readBehind,
  readTargetedEvents,
  type TargetedEvent,
} from './store.ts'

/**
 * Maximum number of pending deliveries of an endpoint. When an endpoint reaches it, it gets no new deliveries until
 * less than half of that number is pending. Then accounts no longer take turns at it, so endpoints of staff, which receive
 * the events of all accounts, have a larger maximum.
 */
const CAPACITY: Capacity = { ofCustomers: 1_000, ofStaff: 10_000, failing: 50 }

/** Approximate number of deliveries that one transaction adds. */
const DELIVERIES_AT_ONCE = 5_000
const MIN_EVENTS_AT_ONCE = 20
const MAX_EVENTS_AT_ONCE = 500

/** Maximum number of endpoints for which one transaction creates deliveries of older events. */
const BEHIND_AT_ONCE = 10

export interface FanOutResult {
  /** Endpoints that got new deliveries. */
  endpointIds: Set<string>
  /** Whether there may be more events to handle. */
  isFull: boolean
}

/** Creates deliveries of events. Between calls it remembers how many events fit into one transaction. */
export interface FanOut {
  /** Creates deliveries of the next new events in one transaction. Only one process at a time can do so. */
  addNew(): Promise<FanOutResult>
  /**
   * Creates deliveries of older events for endpoints that were skipped because they had too many pending deliveries.
   */
  catchUp(): Promise<FanOutResult>
  /** Returns whether such an endpoint existed at the last call. */
  isAnyBehind(): boolean
}

const NOTHING: FanOutResult = { endpointIds: new Set(), isFull: false }

export function createFanOut({ db, clock, hiddenEvents }: Pick<WebhookDeps, 'db' | 'clock' | 'hiddenEvents'>): FanOut {
  let eventsAtOnce = 100
  let isAnyBehind = false

  const add = async (
    trx: Trx,
    events: readonly TargetedEvent[],
    without: ReadonlySet<string>,
  ): Promise<Set<string>> => {
    const deliveries = events.flatMap(({ id, type, subject, share, endpointIds }): NewDelivery[] =>
      endpointIds
        .filter((endpointId) => !without.has(endpointId))
        .map((endpointId) => ({ endpointId, eventId: id, eventType: type, subject, share })),
    )
    await insertDeliveries(trx, deliveries, clock.now())
    return new Set(deliveries.map(({ endpointId }) => endpointId))
  }

  const addNext = (): Promise<FanOutResult> =>
    db.transaction().execute(async (trx) => {
      const cursor = await lockCursor(trx)
      if (cursor === undefined) return NOTHING
      const limit = eventsAtOnce
      const events = await readTargetedEvents(trx, cursor, { limit, hiddenEvents })
      const last = events.at(-1)
      if (last === undefined) return NOTHING
      const targets = new Set(events.flatMap(({ endpointIds }) => endpointIds))
      const full = new Set(targets.size === 0 ? [] : await findFull(trx, [...targets], CAPACITY))
      if (full.size > 0) {
        await leaveBehind(trx, [...full], cursor)
        isAnyBehind = true
      }
      const endpointIds = await add(trx, events, full)
      await moveCursor(trx, last)
      eventsAtOnce = sizeOfNext(events)
      return { endpointIds, isFull: events.length === limit }
    })

  const catchUpSome = (): Promise<FanOutResult> =>
    db.transaction().execute(async (trx) => {
      const upTo = await lockCursor(trx)
      if (upTo === undefined) return NOTHING
      const endpointIds = new Set<string>()
      const behind = await listBehind(trx, { capacity: CAPACITY, limit: BEHIND_AT_ONCE })
      for (const one of behind) {
        const events = await readBehind(trx, one, { upTo, limit: one.room, hiddenEvents })
        for (const id of await add(trx, events, new Set())) endpointIds.add(id)
        const isLevel = events.length < one.room
        await moveBehind(trx, one.endpointId, isLevel ? undefined : placeOf(events.at(-1) ?? one.at))
      }
      isAnyBehind = behind.length > 0
      return { endpointIds, isFull: behind.length === BEHIND_AT_ONCE }
    })

  // Every node looks after each event and every second. Locking the cursor would be a write each time.
  return {
    addNew: async () => ((await hasNewEvents(db)) ? addNext() : NOTHING),
    catchUp: async () => {
      if (await hasBehind(db)) return catchUpSome()
      isAnyBehind = false
      return NOTHING
    },
    isAnyBehind: () => isAnyBehind,
  }
}

function placeOf({ transactionId, position }: EventPosition): EventPosition {
  return { transactionId, position }
}

/**
 * Returns the number of events for the next transaction. It depends on how many deliveries an event causes, which can
 * be one or thousands.
 */
function sizeOfNext(events: readonly TargetedEvent[]): number {
  const deliveries = events.reduce((sum, { endpointIds }) => sum + endpointIds.length, 0)
  const size = Math.floor((DELIVERIES_AT_ONCE * events.length) / Math.max(1, deliveries))
  return Math.min(MAX_EVENTS_AT_ONCE, Math.max(MIN_EVENTS_AT_ONCE, size))
}
