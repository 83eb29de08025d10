import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { startService, type TestService } from '../../test/harness.ts'
import { eraseRemainingData } from '../auth/accounts/personal-data/erase-data.ts'
import { createLog } from '../platform/telemetry/log.ts'
import type { EndedEntry } from './entry.ts'
import { requestLogJobs } from './jobs.ts'
import { createRequestLog } from './request-log.ts'
import { storeEntries } from './store.ts'

const SECRET = 'token-of-ada'

const quiet = createLog({ level: 'silent' })

async function start(t: TestContext) {
  const service = await startService(t, { env: { PLATEN_REQUEST_LOG: 'on' } })
  const admin = await service.signUp({ role: 'admin' })
  const flush = async (): Promise<void> => service.services.requestLog?.flush()
  const list = async (query = '', token = admin.accessToken) => {
    await flush()
    return (await service.request('GET', `/system/requests?limit=100&${query}`, { token })).body
  }
  const find = async (response: { headers: Headers }, token = admin.accessToken) => {
    await flush()
    return service.request('GET', `/system/requests/${response.headers.get('x-request-id')}`, { token })
  }
  return { service, admin, flush, list, find }
}

function makeEntry(changes: Partial<EndedEntry> = {}): EndedEntry {
  return {
    requestId: randomUUID(),
    endedAt: new Date(),
    method: 'GET',
    route: '/products',
    operation: 'listProducts',
    parameters: [],
    status: 200,
    problem: null,
    durationMs: 3,
    caller: null,
    userId: null,
    actorId: null,
    credentialId: null,
    network: '203.0.113.7',
    isStaff: false,
    ...changes,
  }
}

const countRows = async ({ db }: TestService): Promise<number> =>
  (await sql<{ n: number }>`select count(*) as n from request_log`.execute(db)).rows[0]?.n ?? -1

test('a request is found by its id, with its result and its caller', async (t) => {
  const { service, admin, find } = await start(t)
  const { accessToken: token, userId } = await service.signUp()
  const read = await find(await service.request('GET', `/designs?limit=5&externalReference=${SECRET}`, { token }))
  const { endedAt, durationMs, caller, ...rest } = read.body
  assert.ok(Math.abs(Date.parse(endedAt) - service.clock.now().getTime()) < 60_000)
  assert.ok(Number.isInteger(durationMs))
  assert.deepEqual([caller.kind, caller.userId, caller.actorId], ['session', userId, null])
  const { id, ...stored } = rest
  assert.match(id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(stored, {
    method: 'GET',
    route: '/designs',
    operationId: 'listDesigns',
    parameters: ['limit', 'externalReference'],
    status: 200,
    problem: null,
    network: '127.0.0.1',
  })

  const refused = await service.request('GET', `/designs/${SECRET}?${SECRET}=1`)
  const problem = await find(refused)
  assert.equal(refused.body.requestId, problem.body.id)
  const { status, problem: code, route, parameters, caller: anonymous } = problem.body
  assert.deepEqual(
    [status, code, route, parameters, anonymous],
    [401, 'authentication_required', '/designs/{designId}', [], null],
  )
  const unknown = (await find(await service.request('GET', `/${SECRET}`, { token: admin.accessToken }))).body
  assert.deepEqual([unknown.route, unknown.operationId, unknown.problem], [null, null, 'not_found'])
  const { rows } = await sql<{ row: string }>`select request_log::text as row from request_log`.execute(service.db)
  assert.ok(!rows.some(({ row }) => row.includes(SECRET)))
})

test('probes, pages, files, the API document, event streams and OPTIONS are not logged', async (t) => {
  const { service, admin, flush } = await start(t)
  await flush()
  const before = await countRows(service)
  const paths = [
    '/health/live',
    '/health/ready',
    '/docs',
    '/problems/not_found',
    '/metrics',
    '/nothing',
    '/v1/openapi.json',
  ]
  for (const path of paths) await service.request('GET', `${service.origin}${path}`)
  await service.request('OPTIONS', '/designs')
  const headers = { authorization: `Bearer ${admin.accessToken}` }
  const aborting = new AbortController()
  await fetch(`${service.origin}/v1/events/stream`, { headers, signal: aborting.signal })
  aborting.abort()
  await service.request('GET', '/products')
  await flush()
  assert.equal((await countRows(service)) - before, 1)
})

test('the list filters by status, path, account, key and time, and continues where a page ends', async (t) => {
  const { service, admin, list } = await start(t)
  const { accessToken: token, userId } = await service.signUp()
  await service.request('GET', '/orders', { token })
  await service.request('GET', `/orders/${randomUUID()}`, { token })
  const body = { name: 'key', permissions: ['read'] }
  const { body: key } = await service.request('POST', '/api/api-keys', { token: admin.accessToken, body })
  await service.request('GET', '/designs', { token: key.key })
  const own = (await list(`userId=${userId}`)).data
  assert.deepEqual(
    own.slice(0, 2).map(({ route, status }: { route: string; status: number }) => [route, status]),
    [
      ['/orders/{orderId}', 404],
      ['/orders', 200],
    ],
  )
  const [missing, orders] = own
  const ids = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await ids(`userId=${userId}&status=404`), [missing.id])
  assert.deepEqual(await ids(`userId=${userId}&status=4xx`), [missing.id])
  assert.deepEqual(await ids(`route=${encodeURIComponent('/orders/{orderId}')}`), [missing.id])
  assert.deepEqual(await ids(`requestId=${orders.id}`), [orders.id])
  const ofKey = (await list(`keyId=${key.id}`)).data
  assert.deepEqual([ofKey.length, ofKey[0].route, ofKey[0].caller.kind], [1, '/designs', 'api_key'])
  assert.deepEqual(await ids(`userId=${userId}&from=${missing.endedAt}&status=404`), [missing.id])
  assert.deepEqual(await ids(`to=2020-01-01T00:00:00Z`), [])
  assert.equal((await list(`userId=${userId}`)).nextCursor, null)
  const page = async (cursor: string) =>
    (await service.request('GET', `/system/requests?limit=1&userId=${userId}${cursor}`, { token: admin.accessToken }))
      .body
  const one = await page('')
  assert.deepEqual([one.data[0].id, (await page(`&cursor=${one.nextCursor}`)).data[0].id], [missing.id, orders.id])
  const refused = await service.request('GET', '/system/requests?cursor=x', { token: admin.accessToken })
  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_cursor'])
})

test('operators read the log without IP addresses, and customers not at all', async (t) => {
  const { service, find, list } = await start(t)
  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  const { accessToken: customer } = await service.signUp()
  const asked = await service.request('GET', '/designs', { token: customer })
  assert.deepEqual([(await find(asked)).body.network, (await find(asked, operator)).body.network], ['127.0.0.1', null])
  assert.ok((await list('', operator)).data.every(({ network }: { network: string | null }) => network === null))
  assert.deepEqual([(await find(asked, customer)).status, (await list('', customer)).status], [403, 403])
  for (const id of [randomUUID(), 'x']) {
    const missing = await service.request('GET', `/system/requests/${id}`, { token: operator })
    assert.deepEqual([missing.status, missing.body.code], [404, 'request_not_found'])
  }
})

test('a deleted account leaves the log, also the requests that were not stored yet', async (t) => {
  const { service, flush } = await start(t)
  const { db } = service
  const { accessToken: token, userId } = await service.signUp()
  await service.request('GET', '/designs', { token })
  await flush()
  const exported = await service.request('GET', '/me/export', { token })
  assert.ok(exported.body.requests.some(({ route }: { route: string }) => route === '/designs'))
  await service.request('GET', '/orders', { token })
  assert.equal((await service.request('DELETE', '/me', { token })).status, 204)
  await flush()
  const named = async () =>
    (
      await sql<{
        n: number
      }>`select count(*) as n from request_log where request_log::text like ${`%${userId}%`}`.execute(db)
    ).rows[0]?.n
  assert.equal(await named(), 0)
  const { rows } = await sql<{ network: string | null; credential: string | null }>`
    select network, credential_id as credential from request_log where route = '/orders'`.execute(db)
  assert.deepEqual(rows, [{ network: null, credential: null }])
  // A process that read the account before it was deleted may store its requests afterwards.
  await sql`update request_log set user_id = ${userId} where route = '/orders'`.execute(db)
  service.clock.shift(2 * 3600)
  await eraseRemainingData(service.services.auth.services)
  assert.equal(await named(), 0)
})

test('requests are deleted after seven days', async (t) => {
  const service = await startService(t)
  const days = (count: number) => new Date(service.clock.now().getTime() - count * 86_400_000)
  for (const at of [days(8), days(6)]) {
    await storeEntries(service.db, at.toISOString().slice(0, 10), [makeEntry({ endedAt: at })])
  }
  await requestLogJobs(service)[0]?.handle({})
  assert.equal(await countRows(service), 1)
  const { rows } = await sql<{ n: number }>`select count(*) as n from request_log_days`.execute(service.db)
  assert.equal(rows[0]?.n, 1)
})

test('two requests to which a proxy gave the same id are stored once, with all others', async (t) => {
  const service = await startService(t)
  const twice = makeEntry()
  await storeEntries(service.db, new Date().toISOString().slice(0, 10), [twice, twice, makeEntry()])
  assert.equal(await countRows(service), 2)
})

test('what cannot be stored is dropped and counted', async (t) => {
  const service = await startService(t)
  const { db, clock } = service
  const registry = new Registry()
  let isDiskFull = true
  const requireFreeDisk = async (): Promise<void> => {
    if (isDiskFull) throw new Error('too little disk space is free')
  }
  const log = createRequestLog({ db, clock, log: quiet, registry, requireFreeDisk })
  t.after(() => log.close())
  const dropped = async (reason: string) => {
    const metric = await registry.getSingleMetric('platen_request_log_dropped_total')?.get()
    return metric?.values.find(({ labels }) => labels['reason'] === reason)?.value ?? 0
  }

  await t.test('while too little disk space is free', async () => {
    log.add(makeEntry())
    await log.flush()
    assert.deepEqual([await countRows(service), await dropped('disk')], [0, 1])
    isDiskFull = false
    log.add(makeEntry())
    await log.flush()
    assert.equal(await countRows(service), 1)
  })

  await t.test('while the database refuses, without keeping entries', async () => {
    log.add(makeEntry())
    log.add(makeEntry({ status: 99_999 }))
    await log.flush()
    assert.deepEqual([await countRows(service), await dropped('failed')], [1, 2])
  })

  await t.test('while more wait than memory should hold', async () => {
    const held = await db.startTransaction().execute()
    await sql`lock table request_log in exclusive mode`.execute(held)
    log.add(makeEntry())
    const flushed = log.flush()
    await service.untilBlocked()
    for (let n = 0; n < 4_100; n += 1) log.add(makeEntry({ userId: `usr_${n % 10}` }))
    assert.equal(await dropped('full'), 100)
    await held.commit().execute()
    await flushed
    await log.flush()
    assert.equal(await countRows(service), 4_002)
  })
})

test('entries that arrive while others are stored wait, so that one statement stores many', async (t) => {
  const service = await startService(t)
  const { db, clock } = service
  let arriving = 20
  const requireFreeDisk = async (): Promise<void> => {
    if (arriving > 0) log.add(makeEntry())
    arriving -= 1
  }
  const log = createRequestLog({ db, clock, log: quiet, registry: new Registry(), requireFreeDisk })
  t.after(() => log.close())
  log.add(makeEntry())
  await log.flush()
  assert.ok(arriving > 17, `${20 - arriving} statements`)
})
