import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { KyselyPlugin } from 'kysely'
import { Registry } from 'prom-client'
import { untilEventsVisible } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { systemClock } from '../../platform/clock.ts'
import {
  createRequestContext,
  currentRequest,
  type RequestContext,
  runInRequest,
} from '../../platform/concurrency/request-context.ts'
import { ConnectionTimeout, TransferLimited } from '../../platform/db/admission/connection-gate.ts'
import { emitAlone, log, openPools } from '../../platform/outbox/factory.ts'
import { createEventFeed, type EventFeed, emit } from '../../platform/outbox/index.ts'
import type { Following } from './follower.ts'
import { createEventStreams, type EventStreams } from './streams.ts'

const EVENTS = 60

/** Reads the stream of a customer from its beginning until it contains what is wanted, and closes it. */
async function readUntil(streams: EventStreams, ownerId: string, isEnough: (text: string) => boolean): Promise<string> {
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
    if (isEnough(text)) break
  }
  response.emit('close')
  await streams.close()
  return text
}

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
  await readUntil(streams, ownerId, (read) => read.split('event: design.created').length > EVENTS)
  assert.ok(read < 2.5 * EVENTS, `read ${read} for ${EVENTS}`)
})

// Otherwise these reads would come before those of all customers, and count against no budget.
test('a stream that the live reading passes over catches up in the context of its request', async (t) => {
  const [pool] = await openPools(t, 1)
  assert.ok(pool !== undefined)
  /** The reads wait for their gates, by the request that reads. */
  const gates = new Map<RequestContext | undefined, Promise<void>>()
  const readers: (RequestContext | undefined)[] = []
  const gated: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      readers.push(currentRequest())
      await gates.get(currentRequest())
      return result
    },
  }
  let wake: (() => void) | undefined
  const subscribe = (listener: () => void) => {
    wake = listener
    return () => undefined
  }
  const streams = createEventStreams({
    ...{ db: pool.db.withPlugin(gated), clock: systemClock, log, registry: new Registry() },
    feed: { subscribe } as unknown as EventFeed,
    limits: { total: 10, perUser: 10 },
    findShare: async (userId) => userId,
  })
  const open = async (userId: string, request: RequestContext) => {
    const principal = { userId, role: 'customer' }
    const response = Object.assign(new EventEmitter(), {
      writableLength: 0,
      destroyed: false,
      destroy: () => undefined,
    })
    const body = await runInRequest(request, () =>
      streams.open({
        ...{ principal, response, authenticate: async () => principal },
        visible: { ownerId: userId, hiddenTypes: [] },
        type: undefined,
        after: { transactionId: 0, position: 0 },
      } as unknown as Following),
    )
    return { body, close: () => response.emit('close') }
  }
  const [ofEarly, ofLate] = [createRequestContext(), createRequestContext()]
  const hold = (request: RequestContext | undefined): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gates.set(request, promise)
    return resolve
  }
  const early = await open('usr_1', ofEarly)
  await until('the first stream to join', () => wake !== undefined)
  const releaseLate = hold(ofLate)
  const late = await open('usr_2', ofLate)
  await until('the second stream to read', () => readers.includes(ofLate))
  const releaseLive = hold(undefined)
  await emitAlone(pool, 'ord_1', { ownerId: 'usr_2' })
  await untilEventsVisible(pool.db)
  readers.length = 0
  await until('a reading for the first stream', () => {
    wake?.()
    return readers.includes(undefined)
  })
  releaseLate()
  // The stream joins during the reading.
  await setImmediate()
  readers.length = 0
  releaseLive()
  let text = ''
  for await (const piece of late.body) {
    text += piece
    if (text.includes('ord_1')) break
  }
  assert.equal(readers.filter((reader) => reader === ofLate).length, 1)
  early.close()
  late.close()
  await streams.close()
})

// It would come back in a loop while the debt of its customer lasts, each time with a request and a first reading.
test('a stream whose customer has moved too many bytes, or that gets no connection, waits and goes on', async (t) => {
  const [pool] = await openPools(t, 1)
  assert.ok(pool !== undefined)
  const ownerId = 'usr_1'
  await emitAlone(pool, 'ord_1', { ownerId })
  await untilEventsVisible(pool.db)
  const failures = [new TransferLimited(1_000), new ConnectionTimeout('no database connection')]
  const failing: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      const failure = failures.shift()
      if (failure !== undefined) throw failure
      return result
    },
  }
  const streams = createEventStreams({
    ...{ db: pool.db.withPlugin(failing), clock: systemClock, log, registry: new Registry() },
    feed: { subscribe: () => () => undefined } as unknown as EventFeed,
    limits: { total: 10, perUser: 10 },
    findShare: async (userId) => userId,
  })
  const text = await readUntil(streams, ownerId, (read) => read.includes('ord_1'))
  assert.match(text, /ord_1/)
  assert.equal(failures.length, 0)
})
