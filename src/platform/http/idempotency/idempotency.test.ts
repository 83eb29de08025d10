import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createDatabase } from '../../../../test/harness.ts'
import { createShiftableClock } from '../../clock.ts'
import { runForAll } from '../../concurrency/request-context.ts'
import { createTransferBudgets, openDatabase, transferRates } from '../../db/index.ts'
import { createLog } from '../../telemetry/log.ts'
import { publicRoute } from '../core/guard.ts'
import type { Principal } from '../core/principal.ts'
import { httpProblems } from '../core/problems.ts'
import { createTestApp } from '../factory.ts'
import { idempotently, withReservedKey } from './idempotency.ts'

const log = createLog({ level: 'silent' })

const customer = (userId: string): Principal => ({
  ...{ kind: 'session', userId, role: 'customer', credentialId: 'c', staffRole: null, permissions: new Set() },
})

/**
 * Starts a service with one route, which inserts a row into the table `notes`. The first word of a note is the caller.
 */
async function startApp(t: TestContext, { max = 10 } = {}) {
  const database = openDatabase({ ...(await createDatabase(t)), max }, log)
  t.after(() => database.close())
  const { db } = database
  await sql`create table notes (text text)`.execute(db)
  const clock = createShiftableClock()
  const app = createTestApp({
    authenticate: async ({ headers }) => customer(headers.authorization ?? 'nobody'),
  })
  const gate: { reached: () => void; released: Promise<void> } = { reached: () => {}, released: Promise.resolve() }
  const config = { honours: ['Idempotency-Key' as const] }
  app.post('/notes', { onRequest: publicRoute, config }, (request, reply) =>
    idempotently({ db, clock }, request, reply, async (trx) => {
      const { text } = request.body as { text: string }
      await sql`insert into notes values (${text})`.execute(trx)
      gate.reached()
      await gate.released
      if (text === 'refused') throw httpProblems.not_found()
      return { status: 201, body: { text, secret: 's3cret' }, headers: { Location: '/notes/1' }, secrets: ['secret'] }
    }),
  )
  // Its client leaves during the work, which fails while others have all connections.
  app.post('/left', { onRequest: publicRoute, config }, (request, reply) =>
    withReservedKey({ db, clock }, request, reply, async () => {
      request.context.hasLeft = () => true
      const { promise: began, resolve: begin } = Promise.withResolvers<void>()
      runForAll(() =>
        db.transaction().execute(async (trx) => {
          await sql`select`.execute(trx)
          begin()
          await delay(100)
        }),
      ).catch(begin)
      await began
      throw httpProblems.not_found()
    }),
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  const address = app.server.address()
  assert.ok(address !== null && typeof address === 'object')
  const send = async (text: string, key: string, who = 'ann', path = '/notes') => {
    const response = await fetch(`http://127.0.0.1:${address.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key, authorization: who },
      body: JSON.stringify({ text }),
    })
    const body = (await response.json()) as { text?: string; secret?: string | null; code?: string }
    return { status: response.status, headers: response.headers, body }
  }
  const count = async () => (await sql<{ n: number }>`select count(*)::int as n from notes`.execute(db)).rows[0]?.n
  const countKeys = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from idempotency_keys`.execute(db)).rows[0]?.n
  return { send, count, countKeys, clock, gate }
}

test('a repeated request gets the stored response, without secrets that are shown once', async (t) => {
  const { send, count } = await startApp(t)
  const first = await send('a', 'k1')
  assert.deepEqual([first.status, first.body.secret, first.headers.get('idempotent-replayed')], [201, 's3cret', null])
  const again = await send('a', '"k1"')
  assert.deepEqual(
    [again.status, again.body, again.headers.get('location')],
    [201, { text: 'a', secret: null }, '/notes/1'],
  )
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal(await count(), 1)
})

test('a key is rejected for another body, and accepted from another caller', async (t) => {
  const { send, count } = await startApp(t)
  await send('a', 'k1')
  const reused = await send('b', 'k1')
  assert.deepEqual([reused.status, reused.body.code], [422, 'idempotency_key_reused'])
  assert.equal((await send('a', 'k1', 'bob')).headers.get('idempotent-replayed'), null)
  assert.equal(await count(), 2)
})

test('while the first request runs, a second one gets a conflict and does nothing', async (t) => {
  const { send, count, gate } = await startApp(t)
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  gate.reached = reached.resolve
  gate.released = released.promise
  const first = send('a', 'k1')
  await reached.promise
  const second = await send('a', 'k1')
  assert.deepEqual(
    [second.status, second.body.code, second.headers.get('retry-after')],
    [409, 'idempotency_key_in_progress', '1'],
  )
  released.resolve()
  assert.equal((await first).status, 201)
  assert.equal(await count(), 1)
})

test('a failed request leaves no changes and can be repeated', async (t) => {
  const { send, count } = await startApp(t)
  assert.equal((await send('refused', 'k1')).status, 404)
  assert.equal(await count(), 0)
  assert.equal((await send('a', 'k1')).status, 201)
})

test('after 24 hours, a key can be used again', async (t) => {
  const { send, count, clock } = await startApp(t)
  await send('a', 'k1')
  clock.shift(24 * 3600 - 60)
  assert.equal((await send('a', 'k1')).headers.get('idempotent-replayed'), 'true')
  clock.shift(61)
  assert.equal((await send('a', 'k1')).headers.get('idempotent-replayed'), null)
  assert.equal(await count(), 2)
})

test('a malformed key is rejected', async (t) => {
  const { send, count } = await startApp(t)
  for (const key of ['', 'two words', 'x'.repeat(256)]) {
    assert.deepEqual((await send('a', key)).body.code, 'idempotency_key_invalid')
  }
  assert.equal(await count(), 0)
})

test('a reserved key is free again after a failure, even if the client has left and others have all connections', async (t) => {
  const { send, countKeys } = await startApp(t, { max: 1 })
  assert.equal((await send('a', 'k1', 'ann', '/left')).status, 404)
  assert.equal(await countKeys(), 0)
})

test('work that has had its effects keeps its response, although its caller may move no more bytes', async (t) => {
  const MIB = 1024 * 1024
  // Time stands still, so that a debt is never worked off.
  const budgets = createTransferBudgets(transferRates(MIB), () => 0)
  const database = openDatabase({ ...(await createDatabase(t)), budgets, connectionTimeoutMillis: 1_000 }, log)
  t.after(() => database.close())
  const { db } = database
  const app = createTestApp({ authenticate: async () => customer('ann') })
  const config = { honours: ['Idempotency-Key' as const] }
  app.post('/paid', { onRequest: publicRoute, config }, (request, reply) =>
    withReservedKey({ db, clock: createShiftableClock() }, request, reply, async () => {
      budgets.payerOf(request.context)?.charge(100 * MIB)
      return { status: 201, body: { isPaid: true } }
    }),
  )
  t.after(() => app.close())
  const pay = () => app.inject({ method: 'POST', url: '/paid', headers: { 'idempotency-key': 'k1' }, payload: {} })
  assert.equal((await pay()).statusCode, 201)
  const { rows } = await sql`select key, status, body from idempotency_keys`.execute(db)
  assert.deepEqual(rows, [{ key: 'k1', status: 201, body: { isPaid: true } }])
  assert.equal((await pay()).statusCode, 429)
})
