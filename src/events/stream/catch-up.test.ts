import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { Registry } from 'prom-client'
import { systemClock } from '../../platform/clock.ts'
import { log, openPools } from '../../platform/outbox/factory.ts'
import { createEventFeed, emit } from '../../platform/outbox/index.ts'
import type { Following } from './follower.ts'
import { createEventStreams } from './streams.ts'

const EVENTS = 60

// A client could otherwise make the service read twenty large events for each one that it takes.
test('a stream that catches up reads about as many large events as it sends', async (t) => {
  const [pool] = await openPools(t, 1)
  assert.ok(pool !== undefined)
  const ownerId = 'usr_1'
  const data = { text: 'x'.repeat(20_000) }
  await pool.db.transaction().execute(async (trx) => {
    for (let number = 1; number <= EVENTS; number += 1) {
      await emit(trx, { type: 'design.created', subject: `dsg_${number}`, ownerId, data, at: new Date() })
    }
  })
  let read = 0
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      read += result.rows.filter((row) => typeof row['dataJson'] === 'string').length
      return result
    },
  }
  const feed = createEventFeed({ db: pool.db, log })
  const streams = createEventStreams({
    ...{ db: pool.db.withPlugin(counting), clock: systemClock, log, feed, registry: new Registry() },
    limits: { total: 10, perUser: 10 },
    findShare: async (userId) => userId,
  })
  t.after(() => feed.close())
  const principal = { userId: ownerId, role: 'customer' }
  const response = Object.assign(new EventEmitter(), { writableLength: 0, destroyed: false, destroy: () => undefined })
  const body = await streams.open({
    ...{ principal, response, authenticate: async () => principal },
    visible: { ownerId, hiddenTypes: [] },
    type: undefined,
    after: { transactionId: 0, position: 0 },
  } as unknown as Following)
  let text = ''
  for await (const piece of body) {
    text += piece
    if (text.split('event: design.created').length > EVENTS) break
  }
  response.emit('close')
  await streams.close()
  assert.ok(read < 2.5 * EVENTS, `read ${read} for ${EVENTS}`)
})
