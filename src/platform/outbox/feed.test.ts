import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type KyselyPlugin, sql } from 'kysely'
import { untilBlocked } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { createRequestContext, runInRequest } from '../concurrency/request-context.ts'
import { collectLog, emitAlone, log, openPools } from './factory.ts'
import { createEventFeed, emit, findReadableEnd, readEvents } from './index.ts'

test('listeners in every process are called once events are readable, and the feed does not poll without listeners', async (t) => {
  const [writer, one, other] = await openPools(t, 3)
  assert.ok(writer !== undefined && one !== undefined && other !== undefined)
  const { log, lines: logLines } = collectLog()
  let queries = 0
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const feeds = [createEventFeed({ db: one.db.withPlugin(counting), log }), createEventFeed({ db: other.db, log })]
  t.after(() => Promise.all(feeds.map((feed) => feed.close())))
  const begin = await findReadableEnd(writer.db)
  /** Resolves when a listener that reads only when it is called has read all of these events. */
  const hears = (subjects: string[]) =>
    Promise.all(
      feeds.map((feed) => {
        const { promise, resolve } = Promise.withResolvers<void>()
        const unsubscribe = feed.subscribe(() => {
          readEvents(writer.db, { after: begin, limit: 100 }).then(
            ({ events }) => {
              if (subjects.every((one) => events.some(({ subject }) => subject === one))) resolve()
            },
            () => undefined,
          )
        })
        return promise.finally(unsubscribe)
      }),
    )

  const faulty = feeds.map((feed) =>
    feed.subscribe(() => {
      throw new Error('a listener with a fault')
    }),
  )
  await emitAlone(writer, 'ord_1')
  await hears(['ord_1'])
  // A new listener is called too, because it may have read before it was added.
  await hears(['ord_1'])

  const told = hears(['ord_slow', 'ord_quick'])
  await writer.db.transaction().execute(async (trx) => {
    const event = { type: 'order.created', ownerId: 'usr_1', data: {}, at: new Date() } as const
    await emit(trx, { ...event, subject: 'ord_slow' })
    await emitAlone(writer, 'ord_quick')
  })
  await told

  // The table is missing for some time, so that queries fail.
  const again = hears(['ord_2'])
  await sql`alter table events rename to events_away`.execute(writer.db)
  while (!logLines.some((line) => line.includes('cannot read the database'))) await delay(10)
  await sql`alter table events_away rename to events`.execute(writer.db)
  await emitAlone(writer, 'ord_2')
  await again

  for (const unsubscribe of faulty) unsubscribe()
  // Adds a listener during a poll that started before.
  const [feed] = feeds
  const leave = feed?.subscribe(() => undefined)
  const { promise: isTold, resolve: tell } = Promise.withResolvers<void>()
  const unsubscribe = await writer.db.transaction().execute(async (trx) => {
    await sql`lock table events in access exclusive mode`.execute(trx)
    await untilBlocked(other.db)
    leave?.()
    return feed?.subscribe(tell)
  })
  await isTold
  unsubscribe?.()

  // A read that has begun may still end.
  await until('the end of the reads', async () => {
    queries = 0
    await delay(350)
    return queries === 0
  })
})

test('polling does not count for the account whose request added the first listener', async (t) => {
  const [writer, reader] = await openPools(t, 2)
  assert.ok(writer !== undefined && reader !== undefined)
  const feed = createEventFeed({ db: reader.db, log })
  t.after(() => feed.close())
  const request = { ...createRequestContext(), account: 'usr_1', isCustomer: true }
  const { promise: called, resolve } = Promise.withResolvers<void>()
  runInRequest(request, () => feed.subscribe(resolve))
  await emitAlone(writer, 'ord_1')
  await called
  assert.equal(request.movedBytes, 0)
})
