import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequestContext, runInRequest } from '../../platform/concurrency/request-context.ts'
import { emitAlone, log, openPools } from '../../platform/outbox/factory.ts'
import { createEventFeed, findReadableEnd, readEvents } from '../../platform/outbox/index.ts'
import { createFollower, type Placed } from './follower.ts'
import { createLiveReading } from './live-reading.ts'

// If the stream joined before, it would miss the events that the other streams have already received.
test('a stream that is behind joins live reading only after it has caught up', async (t) => {
  const [pool] = await openPools(t, 1)
  assert.ok(pool !== undefined)
  const feed = createEventFeed({ db: pool.db, log })
  t.after(() => feed.close())
  const live = createLiveReading({ db: pool.db, log, feed })
  const begin = await findReadableEnd(pool.db)
  const following = {
    visible: { ownerId: 'usr_1', hiddenTypes: [] },
    type: undefined,
    after: begin,
  } as unknown as Placed
  const [early, late] = [createFollower(following, 0, () => undefined), createFollower(following, 0, () => undefined)]
  t.after(() => live.leave(early))
  t.after(() => live.leave(late))
  const request = { ...createRequestContext(), account: 'usr_1', isCustomer: true }
  assert.equal(
    runInRequest(request, () => live.join(early)),
    true,
  )
  await emitAlone(pool, 'ord_1')
  while (early.cursor === begin) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(live.join(late), false)
  late.cursor = (await readEvents(pool.db, { after: begin, limit: 10 })).upTo
  assert.equal(live.join(late), true)
  assert.equal(request.movedBytes, 0, 'reading for all streams counts for no account')
})
