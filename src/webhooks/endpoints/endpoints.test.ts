import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import type { Received } from '../../../test/fakes/webhook-receiver.ts'
import type { TestResponse } from '../../../test/harness.ts'
import { startWebhookScene } from '../factory.ts'
import { webhookJobs } from '../jobs.ts'
import { enqueuePurge } from './change-endpoints.ts'
import { lockAdding } from './store.ts'

const URL = 'http://127.0.0.1:9/hook'

test('webhook endpoints', async (t) => {
  const scene = await startWebhookScene(t)
  const { service, receiver, signUp, addEndpoint, write, untilDeliveries, shift } = scene
  const { request } = service

  await t.test('an endpoint is visible to its owner only, and its secret is shown once', async () => {
    const [owner, other] = [await signUp(), await signUp('admin')]
    const as = { token: owner.token }

    const created = await request('POST', '/webhook-endpoints', { ...as, body: { url: URL } })
    assert.equal(created.status, 201)
    const { secret, ...shown } = created.body
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(created.headers.get('cache-control'), 'no-store')
    assert.deepEqual(Object.keys(shown), ['id', 'url', 'types', 'description', 'status', 'createdAt', 'updatedAt'])
    assert.deepEqual([shown.url, shown.types, shown.description, shown.status], [URL, null, null, 'enabled'])
    const path = `/webhook-endpoints/${shown.id}`
    assert.deepEqual((await request('GET', path, as)).body, { ...shown, failedDeliveries: 0 })

    const wanted = { url: `${URL}?2`, types: ['order.shipped'], description: 'Second' }
    const second = (await request('POST', '/webhook-endpoints', { ...as, body: wanted })).body
    const page = (await request('GET', '/webhook-endpoints?limit=1', as)).body
    assert.deepEqual([page.data[0].id, page.data[0].description, page.data[0].secret], [second.id, 'Second', undefined])
    const next = (await request('GET', `/webhook-endpoints?limit=1&cursor=${page.nextCursor}`, as)).body
    assert.deepEqual([next.data, next.nextCursor], [[{ ...shown, failedDeliveries: 0 }], null])

    const changes = { url: `${URL}?3`, types: null, description: null, status: 'disabled' }
    const changed = (await request('PATCH', `/webhook-endpoints/${second.id}`, { ...as, body: changes })).body
    assert.deepEqual([changed.url, changed.types, changed.description, changed.status], Object.values(changes))
    assert.equal(changed.disabledReason, 'by_owner')
    const enabled = await request('PATCH', `/webhook-endpoints/${second.id}`, { ...as, body: { status: 'enabled' } })
    assert.deepEqual([enabled.body.status, enabled.body.disabledReason], ['enabled', undefined])

    const foreign = { token: other.token }
    const attempts = [
      request('GET', path, foreign),
      request('PATCH', path, { ...foreign, body: { description: 'mine' } }),
      request('DELETE', path, foreign),
      request('POST', `${path}/rotate-secret`, foreign),
      request('POST', `${path}/test`, foreign),
      request('POST', `${path}/replay`, { ...foreign, body: { from: '2026-01-01T00:00:00Z' } }),
      request('GET', `${path}/deliveries`, foreign),
      request('GET', '/webhook-endpoints/whk_none', as),
    ]
    for (const { status, body } of await Promise.all(attempts)) {
      assert.deepEqual([status, body.code], [404, 'webhook_endpoint_not_found'])
    }
    assert.equal((await request('DELETE', path, as)).status, 204)
    for (const method of ['GET', 'DELETE']) assert.equal((await request(method, path, as)).status, 404)
  })

  await t.test('invalid endpoints are refused with a pointer, and nothing is added', async () => {
    const { token, userId } = await signUp()
    const add = (body: unknown, headers = {}): Promise<TestResponse> =>
      service.request('POST', '/webhook-endpoints', { token, body, headers })
    const malformed: [unknown, string][] = [
      [{}, '/url'],
      [{ url: 'ftp://example.com/' }, '/url'],
      [{ url: 'javascript:alert(1)' }, '/url'],
      [{ url: 'https://exa mple.com/' }, '/url'],
      [{ url: `https://example.com/${'a'.repeat(2048)}` }, '/url'],
      [{ url: URL, types: [] }, '/types'],
      [{ url: URL, types: ['order.lost'] }, '/types/0'],
      [{ url: URL, types: ['webhook.test'] }, '/types/0'],
      [{ url: URL, types: ['order.created', 'order.created'] }, '/types'],
      [{ url: URL, description: 'a'.repeat(501) }, '/description'],
      [{ url: URL, description: 'two\nlines' }, '/description'],
      [{ url: URL, description: 'two\u2028lines' }, '/description'],
      [{ url: URL, description: 'gpj\u202e.exe' }, '/description'],
      [{ url: 'https://example.com/\u202egpj.exe' }, '/url'],
      [{ url: 'https://example.com/\u2066a' }, '/url'],
      [{ url: URL, secret: 'whsec_mine' }, '/secret'],
      [{ url: URL, status: 'disabled' }, '/status'],
    ]
    for (const [body, pointer] of malformed) {
      const answer = await add(body)
      assert.deepEqual(
        [answer.status, answer.body.errors?.[0].pointer],
        [400, pointer],
        JSON.stringify(body).slice(0, 80),
      )
    }
    const refused = [
      'http://10.0.0.1/',
      'http://169.254.169.254/latest',
      'http://[::1]/',
      'https://me:secret@example.com/',
    ]
    for (const url of refused) {
      const { status, body } = await add({ url })
      assert.deepEqual([status, body.code, body.errors[0].pointer], [422, 'webhook_url_refused', '/url'], url)
    }
    assert.deepEqual((await service.request('GET', '/webhook-endpoints', { token })).body.data, [])

    const headers = { 'Idempotency-Key': 'once' }
    const [first, again] = [await add({ url: URL }, headers), await add({ url: URL }, headers)]
    assert.deepEqual([again.status, again.body], [201, { ...first.body, secret: null }])
    const address = `/webhook-endpoints/${first.body.id}`
    for (const [body, status] of [
      [{}, 400],
      [{ url: 'http://192.168.1.1/' }, 422],
      [{ url: 'http://0x7f000002.1/', status: null }, 400],
    ] as const) {
      assert.equal((await service.request('PATCH', address, { token, body })).status, status)
    }
    assert.equal((await service.request('GET', address, { token })).body.url, URL)

    // If two requests count the endpoints at the same time, they must not both add the last one.
    for (let count = 1; count < 19; count += 1) assert.equal((await add({ url: URL })).status, 201)
    const held = await service.db.startTransaction().execute()
    await lockAdding(held, userId)
    const both = [add({ url: URL }), add({ url: URL })]
    await service.untilBlocked(2)
    await held.commit().execute()
    const statuses = (await Promise.all(both)).map(({ status }) => status).sort()
    assert.deepEqual(statuses, [201, 409])
  })

  await t.test('secrets are encrypted, and after a rotation both sign until the overlap ends', async () => {
    const { token, userId } = await signUp()
    const { id, secret } = await addEndpoint(token)
    const rotate = async (body?: object) => {
      const answer = await service.request('POST', `/webhook-endpoints/${id}/rotate-secret`, {
        token,
        ...(body === undefined ? {} : { body }),
      })
      assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store'], answer.text)
      return answer.body.secret as string
    }
    const nextMessage = async (): Promise<Received> => {
      const before = receiver.received.length
      await write({ ownerId: userId })
      await receiver.until(before + 1)
      return receiver.received[before] ?? assert.fail()
    }
    const signs = (one: string, { body, headers }: Received): boolean => {
      try {
        new Webhook(one).verify(body, headers as Record<string, string>)
        return true
      } catch {
        return false
      }
    }
    const overlapEnd = async (): Promise<string | undefined> => {
      const [{ body: one }, { body: all }] = await Promise.all([
        service.request('GET', `/webhook-endpoints/${id}`, { token }),
        service.request('GET', '/webhook-endpoints', { token }),
      ])
      assert.equal(one.previousSecretEndsAt, all.data[0].previousSecretEndsAt)
      return one.previousSecretEndsAt
    }
    assert.equal(await overlapEnd(), undefined)
    const second = await rotate({ overlapSeconds: 100 })
    const endsInMs = new Date((await overlapEnd()) ?? '').getTime() - Date.now()
    assert.ok(endsInMs > 60_000 && endsInMs <= 100_000, `${endsInMs}`)
    const during = await nextMessage()
    assert.deepEqual([signs(secret, during), signs(second, during)], [true, true])
    assert.equal(String(during.headers['webhook-signature']).split(' ').length, 2)
    shift(101)
    const after = await nextMessage()
    assert.deepEqual([signs(secret, after), signs(second, after)], [false, true])
    assert.equal(await overlapEnd(), undefined)
    const third = await rotate()
    const fourth = await rotate({ overlapSeconds: 0 })
    const last = await nextMessage()
    assert.deepEqual(
      [second, third, fourth].map((one) => signs(one, last)),
      [false, false, true],
    )
    assert.equal(
      (await service.request('POST', `/webhook-endpoints/${id}/rotate-secret`, { token, body: { overlapSeconds: -1 } }))
        .status,
      400,
    )

    const stored = JSON.stringify(await service.db.selectFrom('webhook_endpoints').selectAll().execute())
    for (const one of [secret, second, third, fourth]) {
      const bytes = Buffer.from(one.slice('whsec_'.length), 'base64')
      assert.ok(!stored.includes(JSON.stringify([...bytes]).slice(1, -1)) && !stored.includes(one.slice(6)))
      assert.ok(!service.logLines().includes(one.slice(6)))
    }
  })

  await t.test(
    'the export of an account contains its endpoints, and erasing it deletes them with their deliveries',
    async () => {
      const { token, userId, accessToken } = await signUp()
      const { secret, ...endpoint } = await addEndpoint(token)
      await write({ ownerId: userId })
      await untilDeliveries(token, endpoint.id, ([first]) => first?.status === 'delivered')
      const exported = await service.request('GET', '/me/export', { token: accessToken })
      assert.deepEqual(exported.body.webhookEndpoints, [endpoint])
      assert.ok(!exported.text.includes(secret))
      assert.equal((await service.request('DELETE', '/me', { token: accessToken })).status, 204)
      const ofAccount = service.db.selectFrom('webhook_endpoints').selectAll().where('id', '=', endpoint.id)
      const left = await ofAccount.executeTakeFirstOrThrow()
      assert.deepEqual([left.url, left.secret_sealed], ['', null])
      await webhookJobs(service.services.webhooks)
        .find(({ name }) => name === 'webhooks.purge')
        ?.handle({})
      assert.equal(await ofAccount.executeTakeFirst(), undefined)
      const deliveries = service.db.selectFrom('webhook_deliveries').select('id').where('endpoint_id', '=', endpoint.id)
      assert.deepEqual(await deliveries.execute(), [])
    },
  )
})

test('purges of deleted endpoints run one after another, and leave the places of other jobs', async (t) => {
  const { service } = await startWebhookScene(t, { isStill: true })
  await service.db.transaction().execute(async (trx) => {
    await enqueuePurge(trx)
    // Outside of the transaction, the job would have run by now.
    const { rows } = await sql<{ queue: string }>`
      select queue_name as queue from graphile_worker.jobs where task_identifier = 'webhooks.purge'`.execute(trx)
    assert.deepEqual(rows, [{ queue: 'webhooks.purge' }])
  })
})
