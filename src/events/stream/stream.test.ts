import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase, startService, type TestService, untilEventsVisible } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import type { Trx } from '../../platform/db/index.ts'
import { SECURITY_HEADERS } from '../../platform/http/responses/security-headers.ts'
import { moveInNetwork } from '../../platform/newcomers.fixture.ts'
import { forgetNewcomer, noteNewcomer } from '../../platform/newcomers.ts'
import { emit } from '../../platform/outbox/index.ts'
import { type Client, type FollowOptions, follow } from './factory.ts'

interface Written {
  ownerId: string
  subject?: string
  type?: string
  /** Length of the data of the event in characters. */
  size?: number
}

async function write(trx: Trx, { ownerId, subject = newId('order'), type = 'order.created', size = 0 }: Written) {
  await emit(trx, { type, subject, ownerId, data: { id: subject, filler: 'x'.repeat(size) }, at: new Date() })
  return subject
}

const commit = (service: TestService, written: Written) =>
  service.db.transaction().execute((trx) => write(trx, written))

/** Opens streams, and disconnects them when the test ends. */
function follower(t: TestContext, service: TestService) {
  return async (options: FollowOptions): Promise<Client> => {
    const client = await follow(service.origin, options)
    t.after(client.cut)
    return client
  }
}

async function listIds(service: TestService, token: string): Promise<string[]> {
  await untilEventsVisible(service.db)
  const ids: string[] = []
  for (let query = '?limit=100'; query !== ''; ) {
    const { body } = await service.request('GET', `/events${query}`, { token })
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    query = body.nextCursor === null ? '' : `?limit=100&after=${body.nextCursor}`
  }
  return ids
}

const idsOf = ({ messages }: Client) => messages.map(({ id }) => id)

test('a stream of events', async (t) => {
  const service = await startService(t, { env: { PLATEN_EVENT_STREAMS: '14' } })
  const { accessToken: token, userId: ownerId } = await service.signUp()
  const operator = await service.signUp({ role: 'operator' })
  const { accessToken: other, userId: otherId } = await service.signUp()

  await t.test('starts with new events: customers get their own, operators all', async (t) => {
    const open = follower(t, service)
    await commit(service, { ownerId })
    await untilEventsVisible(service.db)
    const [mine, all, shipped] = await Promise.all([
      open({ token }),
      open({ token: operator.accessToken }),
      open({ token: operator.accessToken, query: '?type=order.shipped' }),
    ])
    const subjects = [await commit(service, { ownerId }), await commit(service, { ownerId: otherId })]
    const last = await commit(service, { ownerId, type: 'order.shipped' })
    await Promise.all([mine.until(2), all.until(3), shipped.until(1)])
    assert.deepEqual(all.subjects(), [...subjects, last])
    assert.deepEqual(mine.subjects(), [subjects[0], last])
    assert.deepEqual(shipped.subjects(), [last])
    const [message] = shipped.messages
    const { body } = await service.request('GET', '/events?type=order.shipped', { token })
    assert.deepEqual(JSON.parse(message?.data ?? ''), body.data[0])
    assert.deepEqual([message?.id, message?.event], [body.data[0].id, 'order.shipped'])
  })

  await t.test(
    'staff whose role may not read designs get no event of designs, live, later, in lists or alone',
    async (t) => {
      const open = follower(t, service)
      const { accessToken: packing } = await service.signUp({ role: 'operator', staffRole: 'packing' })
      const { accessToken: prepress } = await service.signUp({ role: 'operator', staffRole: 'prepress' })
      const [live, all] = await Promise.all([open({ token: packing }), open({ token: prepress })])
      const before = await commit(service, { ownerId })
      const design = await commit(service, { ownerId, type: 'design.finalized', subject: newId('design') })
      const after = await commit(service, { ownerId })
      await Promise.all([live.until(2), all.until(3)])
      assert.deepEqual(
        [live.subjects(), all.subjects()],
        [
          [before, after],
          [before, design, after],
        ],
      )
      const [first, hidden] = idsOf(all)
      const late = await open({ token: packing, lastEventId: first ?? '' })
      await late.until(1)
      assert.deepEqual(late.subjects(), [after])
      const listed = await service.request('GET', `/events?after=${first}`, { token: packing })
      assert.deepEqual(
        listed.body.data.map(({ subject }: { subject: string }) => subject),
        [after],
      )
      assert.equal((await service.request('GET', `/events/${hidden}`, { token: packing })).status, 404)
      assert.equal((await service.request('GET', `/events/${hidden}`, { token: prepress })).status, 200)
    },
  )

  await t.test('has the common response headers, a retry delay and heartbeats', async (t) => {
    const client = await follower(t, service)({ token })
    const expected = { ...SECURITY_HEADERS, 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
    for (const [name, value] of Object.entries(expected)) assert.equal(client.headers[name.toLowerCase()], value, name)
    assert.match(client.headers['content-type'] ?? '', /^text\/event-stream/)
    assert.ok(client.headers['x-request-id'] !== undefined)
    service.clock.shift(15)
    while (client.comments.length === 0) await delay(20)
    assert.ok((client.retryMs() ?? 0) >= 1000)
    const head = await service.request('HEAD', '/events/stream', { token })
    assert.deepEqual([head.status, head.headers.get('cache-control')], [200, 'no-store'])
  })

  await t.test('a client that reconnects before its first event misses nothing', async (t) => {
    const open = follower(t, service)
    const { accessToken, userId } = await service.signUp()
    const atEmpty = await open({ token: accessToken })
    const subject = await commit(service, { ownerId: userId })
    await atEmpty.until(1)
    await commit(service, { ownerId })
    const newest = (await listIds(service, accessToken)).at(-1)
    const filtered = await open({ token: accessToken, query: '?type=order.shipped' })
    const again = await open({ token: accessToken })
    for (const client of [filtered, again]) {
      while (client.retryMs() === undefined) await delay(5)
      assert.deepEqual([client.lastEventId(), client.messages], [newest, []])
    }
    assert.deepEqual(atEmpty.subjects(), [subject])
    again.cut()
    const missed = await commit(service, { ownerId: userId })
    const continued = await open({ token: accessToken, lastEventId: String(newest) })
    await continued.until(1)
    assert.deepEqual(continued.subjects(), [missed])
  })

  await t.test('continues after the last received event, or after a given event', async (t) => {
    const open = follower(t, service)
    const ids = await listIds(service, token)
    const [first = '', second = ''] = ids
    const byHeader = await open({ token, lastEventId: second, query: `?after=${first}` })
    const byAddress = await open({ token, query: `?after=${first}` })
    await Promise.all([byHeader.until(ids.length - 2), byAddress.until(ids.length - 1)])
    assert.deepEqual(idsOf(byHeader), ids.slice(2))
    assert.deepEqual(idsOf(byAddress), ids.slice(1))
    const refused = await service.request('GET', '/events/stream', {
      token: other,
      headers: { 'last-event-id': first },
    })
    assert.deepEqual([refused.status, refused.body.errors[0].header], [400, 'Last-Event-ID'])
  })

  // A reader that only takes committed events into account would skip the events of slow transactions or read events
  // twice.
  await t.test(
    'sends each event exactly once while clients disconnect and slow transactions commit late',
    async (t) => {
      const open = follower(t, service)
      const steady = await open({ token })
      const begin = (await listIds(service, token)).at(-1) ?? ''
      const seen: string[] = []
      const reconnecting = (async () => {
        while (seen.length < 48) {
          const client = await open({ token, lastEventId: seen.at(-1) ?? begin })
          await client.until(Math.min(3, 48 - seen.length))
          client.cut()
          seen.push(...idsOf(client).map(String))
        }
      })()
      for (let round = 0; round < 8; round += 1) {
        const fromSlow = Promise.withResolvers<void>()
        const slow = service.db.transaction().execute(async (trx) => {
          await write(trx, { ownerId })
          await fromSlow.promise
          await write(trx, { ownerId })
        })
        for (let quick = 0; quick < 4; quick += 1) await commit(service, { ownerId })
        // Longer than the time between two reads, so that a reader that does not wait for the slow transaction would go
        // past it.
        await delay(60)
        fromSlow.resolve()
        await slow
      }
      await Promise.all([reconnecting, steady.until(48)])
      const ids = await listIds(service, token)
      const expected = ids.slice(ids.indexOf(begin) + 1)
      assert.equal(expected.length, 48)
      assert.deepEqual(seen, expected)
      assert.deepEqual(idsOf(steady), expected)
    },
  )

  await t.test('streams are limited per account and in total, and a closed stream makes room', async (t) => {
    const open = follower(t, service)
    const clients = await Promise.all(Array.from({ length: 10 }, () => open({ token })))
    const refused = await service.request('GET', '/events/stream', { token })
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_event_streams'])
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    await Promise.all([open({ token: other }), open({ token: other })])
    // Reading the body of a stream that was opened by mistake would never end.
    assert.equal((await open({ token: other })).status, 503)
    const full = await service.request('GET', '/events/stream', { token: other })
    assert.deepEqual([full.status, full.body.code], [503, 'event_streams_full'])

    const { accessToken: staff } = operator
    const ofStaff = await Promise.all([open({ token: staff }), open({ token: staff })])
    assert.deepEqual(
      ofStaff.map(({ status }) => status),
      [200, 200],
      'customers leave a tenth of the streams to staff',
    )
    assert.equal((await open({ token: staff })).status, 503)
    clients[0]?.cut()
    let again = await open({ token })
    while (again.status !== 200) again = await open({ token })
  })

  await t.test(
    'ends when its credential ends, and when its account gets a role that may see other events',
    async (t) => {
      const open = follower(t, service)
      const { accessToken, userId } = await service.signUp({ role: 'operator' })
      const body = { name: 'shop', permissions: ['events:read'] }
      const { key, id } = (await service.request('POST', '/api/api-keys', { token: accessToken, body })).body
      const made = await service.request('POST', '/api/api-keys', { token, body })
      const lasting = await open({ token: made.body.key })
      const byKey = await open({ token: key })
      await service.request('DELETE', `/api/api-keys/${id}`, { token: accessToken })
      assert.equal(await byKey.ended, true)

      const bySession = await open({ token: accessToken })
      const admin = await service.signUp({ role: 'admin' })
      await service.request('PATCH', `/users/${userId}`, { token: admin.accessToken, body: { role: 'customer' } })
      assert.equal(await bySession.ended, true)

      const ofLeaver = await open({ token: other })
      await service.request('POST', '/api/auth/logout', { token: other })
      assert.equal(await ofLeaver.ended, true)

      const expiring = await open({ token })
      service.clock.shift(901)
      assert.equal(await expiring.ended, true)
      // Other transactions have committed while the stream was open.
      const subject = await commit(service, { ownerId })
      await lasting.until(1)
      assert.deepEqual(lasting.subjects(), [subject])
    },
  )
})

test('the only stream of a process is not reserved for staff', async (t) => {
  const service = await startService(t, { env: { PLATEN_EVENT_STREAMS: '1' } })
  const [ada, operator] = [await service.signUp(), await service.signUp({ role: 'operator' })]
  const open = follower(t, service)
  assert.equal((await open({ token: ada.accessToken })).status, 200)
  assert.equal((await open({ token: operator.accessToken })).status, 503)
})

// A client may register any number of accounts.
test('the new customers of one network share a limit until an order of theirs is in production', async (t) => {
  const limits = { PLATEN_EVENT_STREAMS: '40', PLATEN_EVENT_STREAMS_PER_USER: '2' }
  const service = await startService(t, { env: limits })
  const open = follower(t, service)
  const [ada, grace, kay] = [await service.register(), await service.register(), await service.register()]
  await moveInNetwork(service.db, grace.userId)
  for (const { accessToken } of [ada, grace]) assert.equal((await open({ token: accessToken })).status, 200)
  // Reading the body of a stream that was opened by mistake would never end.
  assert.equal((await open({ token: kay.accessToken })).status, 429)
  const refused = await service.request('GET', '/events/stream', { token: kay.accessToken })
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_event_streams'])
  assert.match(refused.body.detail, /2 open event streams from your network/)
  // The process remembers the shares of accounts whose requests it has seen for a minute.
  const { userId, accessToken: token } = await service.signUp()
  await service.db.transaction().execute(async (trx) => {
    await noteNewcomer(trx, userId, Uint8Array.from([127, 0, 0, 1]))
    await forgetNewcomer(trx, userId)
  })
  assert.equal((await open({ token })).status, 200, 'a customer with an order in production has places of its own')
})

test('in a full network, a stream of the account with the most is ended for an account with fewer', async (t) => {
  const limits = { PLATEN_EVENT_STREAMS: '40', PLATEN_EVENT_STREAMS_PER_USER: '2' }
  const service = await startService(t, { env: limits })
  const open = follower(t, service)
  const [ada, grace] = [await service.register(), await service.register()]
  const [first, second] = [await open({ token: ada.accessToken }), await open({ token: ada.accessToken })]
  const other = await open({ token: grace.accessToken })
  assert.deepEqual([first.status, second.status, other.status], [200, 200, 200])
  assert.equal(await second.ended, true)
  const again = await open({ token: ada.accessToken })
  assert.equal(again.status, 429, 'accounts with as many streams take none from each other')
  const subject = await commit(service, { ownerId: grace.userId })
  await other.until(1)
  assert.deepEqual(other.subjects(), [subject])
})

test('a client that does not read takes little memory and is disconnected; restarts lose no events', async (t) => {
  const database = await createDatabase(t)
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-data-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const service = await startService(t, { database, dataDir })
  const heldBytes = countHeldBytes(service)
  const { accessToken, userId: ownerId } = await service.signUp()
  const body = { name: 'shop', permissions: ['events:read'] }
  const { key: token } = (await service.request('POST', '/api/api-keys', { token: accessToken, body })).body
  const open = follower(t, service)
  const [slow, quick] = [await open({ token }), await open({ token })]
  slow.pause()
  for (let n = 0; n < 12; n += 1) await commit(service, { ownerId, size: 900_000 })
  await quick.until(12)
  assert.ok(heldBytes() < 3_000_000, `${heldBytes()} bytes wait for a client`)
  slow.resume()
  await slow.until(12)
  assert.deepEqual(idsOf(slow), idsOf(quick))

  const begin = slow.messages[0]?.id ?? ''
  const stalled = await open({ token, lastEventId: begin })
  stalled.pause()
  while (heldBytes() === 0) await delay(20)
  // The first check after the shift may find that the client has just read something.
  for (; heldBytes() > 0; await delay(350)) service.clock.shift(31)
  stalled.resume()
  assert.equal(await stalled.ended, false)
  const again = await open({ token, lastEventId: stalled.messages.at(-1)?.id ?? begin })
  await again.until(11 - stalled.messages.length)
  assert.deepEqual([...idsOf(stalled), ...idsOf(again)], idsOf(quick).slice(1))

  const stuck = await open({ token, lastEventId: begin })
  stuck.pause()
  while (heldBytes() === 0) await delay(20)
  await service.close()
  assert.equal(await quick.ended, true)
  await commit(service, { ownerId })
  const restarted = await startService(t, { database, dataDir })
  const last = await follower(t, restarted)({ token, lastEventId: quick.messages.at(-1)?.id ?? '' })
  await commit(service, { ownerId })
  await last.until(2)
  assert.deepEqual([...idsOf(quick), ...idsOf(last)], await listIds(restarted, token))
})

/** Returns a function that counts the bytes of responses that wait in the service for clients. */
function countHeldBytes(service: TestService): () => number {
  const open = new Map<ServerResponse, Readable>()
  service.app.server.on('request', (_request, response: ServerResponse) => {
    response.once('pipe', (source: Readable) => open.set(response, source))
    response.once('close', () => open.delete(response))
  })
  return () => [...open].reduce((sum, [{ writableLength }, source]) => sum + writableLength + source.readableLength, 0)
}
