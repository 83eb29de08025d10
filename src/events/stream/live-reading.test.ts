import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { untilBlocked } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { createRequestContext, runInRequest } from '../../platform/concurrency/request-context.ts'
import type { DatabasePool } from '../../platform/db/index.ts'
import { emitAlone, log, openPools } from '../../platform/outbox/factory.ts'
import {
  createEventFeed,
  type EventFeed,
  type EventPosition,
  emit,
  findReadableEnd,
  readEvents,
} from '../../platform/outbox/index.ts'
import { createFollower, type Follower, type Placed } from './follower.ts'
import { createLiveReading } from './live-reading.ts'

/** Collects the streams that have to catch up. */
function createLive(pool: DatabasePool, feed: Pick<EventFeed, 'subscribe'>) {
  const behind: Follower[] = []
  const live = createLiveReading({ db: pool.db, log, feed, onBehind: (follower) => behind.push(follower) })
  return { live, behind }
}

function openStream(ownerId: string | undefined, after: EventPosition): Follower {
  const following = { visible: { ownerId, hiddenTypes: [] }, type: undefined, after }
  return createFollower(following as unknown as Placed, 0, () => undefined)
}

/** Opens two streams of different owners, of which one has joined. A reading begins with `wake`. */
async function startWithOneOfTwo(t: TestContext) {
  const [pool, other] = await openPools(t, 2)
  assert.ok(pool !== undefined && other !== undefined)
  let wake = (): void => undefined
  const { live, behind } = createLive(pool, {
    subscribe: (listener) => {
      wake = listener
      return () => undefined
    },
  })
  const begin = await findReadableEnd(pool.db)
  const [early, late] = [openStream('usr_1', begin), openStream('usr_2', begin)]
  live.join(early)
  return { pool, other, live, behind, wake: () => wake(), early, late }
}

// If the stream joined before, it would miss the events that the other streams have already received.
test('a stream that is behind joins live reading only after it has caught up', async (t) => {
  const [pool] = await openPools(t, 1)
  assert.ok(pool !== undefined)
  const feed = createEventFeed({ db: pool.db, log })
  t.after(() => feed.close())
  const { live } = createLive(pool, feed)
  const begin = await findReadableEnd(pool.db)
  const [early, late] = [openStream('usr_1', begin), openStream('usr_1', begin)]
  t.after(() => live.leave(early))
  t.after(() => live.leave(late))
  const request = { ...createRequestContext(), account: 'usr_1', isCustomer: true }
  assert.equal(
    runInRequest(request, () => live.join(early)),
    true,
  )
  await emitAlone(pool, 'ord_1')
  await until('the event', () => early.cursor !== begin)
  assert.equal(live.join(late), false)
  late.cursor = (await readEvents(pool.db, { after: begin, limit: 10 })).upTo
  assert.equal(live.join(late), true)
  assert.equal(request.movedBytes, 0, 'reading for all streams counts for no account')
})

test('the data of events is read only for owners with a stream, and for all if one gets those of all', async (t) => {
  const [pool, other] = await openPools(t, 2)
  assert.ok(pool !== undefined && other !== undefined)
  const sockets = new Set<Socket>()
  pool.pool.on('connect', (client) =>
    sockets.add((client as unknown as { connection: { stream: Socket } }).connection.stream),
  )
  const bytesRead = () => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, 0)
  const feed = createEventFeed({ db: pool.db, log })
  t.after(() => feed.close())
  const { live } = createLive(pool, feed)
  const emitLarge = () => emitAlone(other, 'ord_large', { ownerId: 'usr_2', data: { text: 'x'.repeat(1_000_000) } })

  const begin = await findReadableEnd(pool.db)
  const stream = openStream('usr_1', begin)
  t.after(() => live.leave(stream))
  live.join(stream)
  await emitLarge()
  await emitAlone(other, 'ord_1')
  await until('the event of the owner', () => stream.cursor !== begin)
  assert.ok(bytesRead() < 500_000, String(bytesRead()))

  const { cursor } = stream
  const ofAll = openStream(undefined, cursor)
  t.after(() => live.leave(ofAll))
  await until('the stream to be up to date', async () => {
    ofAll.cursor = await findReadableEnd(pool.db)
    return live.join(ofAll)
  })
  await emitLarge()
  await until('the event of another owner', () => ofAll.cursor.position > 0)
  assert.ok(bytesRead() >= 1_000_000, String(bytesRead()))
  assert.equal(stream.cursor, cursor)
})

// The reading leaves out the events of owners without a stream, so the stream would miss those that it has passed.
test('a stream that joins during a reading without its owner catches up itself', async (t) => {
  const { pool, other, live, behind, wake, early, late } = await startWithOneOfTwo(t)
  await other.db.transaction().execute(async (trx) => {
    await sql`lock table events in access exclusive mode`.execute(trx)
    wake()
    await untilBlocked(pool.db)
    assert.equal(live.join(late), true)
    const at = new Date()
    await emit(trx, { type: 'order.created', subject: 'ord_2', ownerId: 'usr_2', data: { id: 'ord_2' }, at })
  })
  await until('the event of the late stream', async () => {
    for (const one of behind.splice(0)) {
      const { events, upTo } = await readEvents(pool.db, { ownerId: 'usr_2', after: one.cursor, limit: 10 })
      one.cursor = events.at(-1)?.at ?? upTo
      live.join(one)
    }
    wake()
    return late.cursor.position > 0
  })
  assert.equal(early.isLive, true)
})

// While events arrive all the time, the stream would otherwise read its events again and again without becoming live.
test('a stream that has caught up after such a reading misses nothing of the next one', async (t) => {
  const { pool, other, live, behind, wake, late } = await startWithOneOfTwo(t)
  /** Emits an event of the late stream, which joins after a reading has begun. */
  const joinDuringReading = (subject: string): Promise<void> =>
    other.db.transaction().execute(async (trx) => {
      await sql`lock table events in access exclusive mode`.execute(trx)
      wake()
      await untilBlocked(pool.db)
      assert.equal(live.join(late), true)
      const at = new Date()
      await emit(trx, { type: 'order.created', subject, ownerId: 'usr_2', data: { id: subject }, at })
    })
  await joinDuringReading('ord_1')
  await until('the end of the reading', () => {
    wake()
    return behind.length > 0
  })
  assert.deepEqual([behind.splice(0), late.isLive], [[late], false])
  late.cursor = (await readEvents(pool.db, { ownerId: 'usr_2', after: late.cursor, limit: 10 })).upTo
  const { cursor } = late
  await joinDuringReading('ord_2')
  await until('the second event', () => {
    wake()
    return behind.length > 0 || late.cursor !== cursor
  })
  assert.deepEqual([behind, late.isLive], [[], true])
})
