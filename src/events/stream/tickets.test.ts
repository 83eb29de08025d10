import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase, startService, type TestService, temporaryDir } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { emit } from '../../platform/outbox/index.ts'
import { follow } from './factory.ts'

type Test = Parameters<typeof startService>[0]

async function ticketFor(service: TestService, token: string): Promise<string> {
  const { status, body, headers } = await service.request('POST', '/events/tickets', { token })
  assert.deepEqual([status, body.expiresIn, headers.get('cache-control')], [201, 60, 'no-store'])
  return body.ticket
}

async function open(t: Test, service: TestService, ticket: string) {
  const client = await follow(service.origin, { query: `?ticket=${ticket}` })
  t.after(client.cut)
  return client
}

async function isRefused(service: TestService, ticket: string): Promise<void> {
  const { status, body, headers } = await service.request('GET', `/events/stream?ticket=${ticket}`)
  assert.deepEqual([status, body.code], [401, 'invalid_ticket'])
  assert.ok(headers.has('www-authenticate'))
}

/** Takes a second, and longer if other processes take the processor meanwhile, because that delays each step. */
async function oneSecond(): Promise<void> {
  for (let step = 0; step < 100; step++) await delay(10)
}

test('a ticket opens one stream, with the events of its maker, and is used up by it', async (t) => {
  const service = await startService(t)
  const { accessToken: token, userId: ownerId } = await service.signUp()
  const ticket = await ticketFor(service, token)
  const client = await open(t, service, ticket)
  assert.equal(client.status, 200)
  const subject = newId('order')
  await service.db.transaction().execute(async (trx) => {
    await emit(trx, { type: 'order.created', subject, ownerId, data: {}, at: new Date() })
    const foreign = (await service.signUp()).userId
    await emit(trx, { type: 'order.created', subject: newId('order'), ownerId: foreign, data: {}, at: new Date() })
  })
  await client.until(1)
  assert.deepEqual(client.subjects(), [subject])
  await isRefused(service, ticket)
})

test('an expired, invented or malformed ticket opens nothing, and a ticket is no other credential', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const ticket = await ticketFor(service, token)
  assert.equal((await service.request('GET', '/events', { token: ticket })).status, 401)
  for (const wrong of ['', 'A'.repeat(43), 'A'.repeat(5_000), token, encodeURIComponent("'; --")]) {
    await isRefused(service, wrong)
  }
  service.clock.shift(61)
  await isRefused(service, ticket)
  assert.equal((await service.request('GET', `/events?ticket=${ticket}`)).status, 401)
})

test('a ticket needs the permission to read events', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const body = { name: 'key', permissions: ['orders:read'] }
  const { key } = (await service.request('POST', '/api/api-keys', { token, body })).body
  assert.equal((await service.request('POST', '/events/tickets', { token: key })).body.code, 'insufficient_scope')
  assert.equal((await service.request('POST', '/events/tickets')).status, 401)
})

test('of two processes that get one ticket at once, one opens a stream', async (t) => {
  const [database, dataDir] = [await createDatabase(t), await temporaryDir(t)]
  const one = await startService(t, { database, dataDir })
  const two = await startService(t, { database, dataDir, clock: one.clock })
  const { accessToken: token } = await one.signUp()
  const ticket = await ticketFor(one, token)
  const clients = await Promise.all([open(t, one, ticket), open(t, two, ticket)])
  assert.deepEqual(clients.map(({ status }) => status).sort(), [200, 401])
})

test('the stream ends within a second of the session that made its ticket', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const byHeader = await follow(service.origin, { token })
  const client = await open(t, service, await ticketFor(service, token))
  const unused = await ticketFor(service, token)
  service.clock.shift(30)
  assert.equal((await service.request('POST', '/api/auth/logout', { token })).status, 204)
  assert.equal(await Promise.race([client.ended, oneSecond()]), true)
  await byHeader.ended
  await isRefused(service, unused)
})

test('the stream of a ticket goes on after the end of the access token', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const byHeader = await follow(service.origin, { token })
  const client = await open(t, service, await ticketFor(service, token))
  service.clock.shift(1_000)
  await byHeader.ended
  const stillOpen = await Promise.race([client.ended, new Promise((resolve) => setTimeout(resolve, 700, 'open'))])
  assert.equal(stillOpen, 'open')
  // The session itself ends after 30 days without a refresh.
  service.clock.shift(31 * 86_400)
  assert.equal(await client.ended, true)
})

test('the stream ends with the secret of the API key that made its ticket', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const body = { name: 'key', permissions: ['events:read'] }
  const { id, key } = (await service.request('POST', '/api/api-keys', { token, body })).body
  const client = await open(t, service, await ticketFor(service, key))
  const rotated = await service.request('POST', `/api/api-keys/${id}/rotate`, { token, body: { overlapSeconds: 0 } })
  assert.equal(rotated.status, 201)
  assert.equal(await client.ended, true)
  const next = await open(t, service, await ticketFor(service, rotated.body.key))
  assert.equal(next.status, 200)
  assert.equal((await service.request('DELETE', `/api/api-keys/${id}`, { token })).status, 204)
  assert.equal(await next.ended, true)
})

test('a ticket stands in no log and, stored, opens nothing', async (t) => {
  const service = await startService(t, { env: { PLATEN_LOG_LEVEL: 'trace' } })
  const { accessToken: token } = await service.signUp()
  const ticket = await ticketFor(service, token)
  const { token_hash: stored } = await service.db
    .selectFrom('event_stream_tickets')
    .select('token_hash')
    .executeTakeFirstOrThrow()
  assert.notEqual(stored, ticket)
  await isRefused(service, stored)
  const refused = await service.request('GET', `/events/stream?type=wrong&ticket=${ticket}`)
  assert.equal(refused.status, 400)
  await open(t, service, ticket)
  await isRefused(service, ticket)
  for (const text of [service.logLines(), refused.text]) assert.ok(!text.includes(ticket))
})
