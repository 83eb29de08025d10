import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { answering, type Received } from '../../../test/fakes/webhook-receiver.ts'
import { eraseEvents, rewriteEvents } from '../../platform/outbox/index.ts'
import { startWebhookScene } from '../factory.ts'
import { newId } from '../ids.ts'
import { releaseClaims } from '../worker/store.ts'
import { pruneDeliveries } from './store.ts'

test('the delivery log, retries, replays and tests', async (t) => {
  const scene = await startWebhookScene(t)
  const { service, receiver, signUp, addEndpoint, write, deliveries, untilDeliveries, shift } = scene
  const { request } = service
  const { token, userId, accessToken } = await signUp()
  const newEndpoint = (path: string) => addEndpoint(token, path)

  await t.test('redirects are failures, Retry-After is honoured, and the log contains no secrets', async () => {
    const path = '/answers?key=hidden'
    const { id } = await newEndpoint(path)
    const headers = {
      location: `${receiver.url}/elsewhere`,
      'set-cookie': 'hidden=1',
      authorization: 'hidden',
      'x-seen': 'shown',
    }
    receiver.behave(
      (response, one) => answering(302, headers, `<b>${one.headers['webhook-signature']}</b>`)(response, one),
      path,
    )
    await write({ ownerId: userId })
    const isTried = ([one]: { attempts?: unknown[] }[]) => one?.attempts?.length === 1
    const [delivery] = await untilDeliveries(token, id, isTried)
    const [attempt] = delivery.attempts
    assert.deepEqual([delivery.status, attempt.status, attempt.responseBody], ['pending', 302, '<b>***</b>'])
    assert.equal(attempt.responseHeaders['x-seen'], 'shown')
    assert.equal(delivery.request.headers['webhook-signature'], 'v1,***')
    assert.equal(delivery.request.body, receiver.received.at(-1)?.body)
    assert.ok(!JSON.stringify(delivery).includes('hidden'))
    assert.equal(receiver.received.filter((one) => one.path === '/elsewhere').length, 0)
    const one = (await request('GET', `/webhook-endpoints/${id}/deliveries/${delivery.id}`, { token })).body
    assert.deepEqual(one, delivery)
    receiver.behave(answering(429, { 'retry-after': '3600' }), path)
    shift(6)
    const [later] = await untilDeliveries(token, id, ([one]) => one?.attempts.length === 2)
    assert.ok(Date.parse(later.nextAttemptAt) - Date.parse(later.attempts[1].at) >= 3_600_000)
    assert.ok(!service.logLines().includes('hidden'))
  })

  await t.test('deliveries are listed newest first, by page and status, and can be retried and replayed', async () => {
    const { id } = await newEndpoint('/again')
    const path = `/webhook-endpoints/${id}`
    await write({ ownerId: userId }, { ownerId: userId }, { ownerId: userId })
    const all = await untilDeliveries(
      token,
      id,
      (found) => found.length === 3 && found.every(({ status }) => status === 'delivered'),
    )
    const page = (await request('GET', `${path}/deliveries?limit=2`, { token })).body
    const next = (await request('GET', `${path}/deliveries?limit=2&cursor=${page.nextCursor}`, { token })).body
    assert.deepEqual([...page.data, ...next.data], all)
    assert.equal(next.nextCursor, null)
    assert.deepEqual(await deliveries(token, id, '?status=failed'), [])
    assert.equal((await deliveries(token, id, '?status=delivered')).length, 3)
    assert.equal((await request('GET', `${path}/deliveries?status=lost`, { token })).status, 400)

    const headers = { 'idempotency-key': 'retry' }
    const retry = () => request('POST', `${path}/deliveries/${all[2].id}/retry`, { token, headers })
    const retried = await retry()
    assert.deepEqual([retried.status, retried.body.id, retried.body.status], [202, all[2].id, 'pending'])
    assert.deepEqual(retried.body.request, all[2].request)
    assert.deepEqual((await retry()).body, retried.body)
    const { rows } = await sql<{ body: { request: object } }>`
      select body from idempotency_keys where key = 'retry'`.execute(service.db)
    assert.ok(!('body' in (rows[0]?.body.request ?? {})), 'the body of the event is not stored again')
    await untilDeliveries(token, id, (found) => found[2].attempts.length === 2 && found[2].status === 'delivered')
    const ids = receiver.received.filter((one) => one.path === '/again').map(({ headers }) => headers['webhook-id'])
    assert.deepEqual(ids.slice(3), [all[2].eventId], 'the same id, so that receivers can tell')

    const { createdAt: from } = JSON.parse(all[2].request.body)
    const replay = (body: object) => request('POST', `${path}/replay`, { token, body })
    assert.deepEqual(
      [
        (await replay({ from })).status,
        (await replay({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' })).body,
      ],
      [202, { count: 0 }],
    )
    await untilDeliveries(
      token,
      id,
      (found) => found.length === 6 && found.every(({ status }) => status === 'delivered'),
    )
    assert.deepEqual(
      (await replay({ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' })).body.errors[0].pointer,
      '/to',
    )
    assert.equal((await replay({})).status, 400)
    const unknown = await request('POST', `${path}/deliveries/${newId('delivery')}/retry`, { token })
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'webhook_delivery_not_found'])

    await sql`
      insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, created_at)
      select ${id} || n, ${id}, ${all[0].eventId}, 'order.created', 'full', 'pending', now()
      from generate_series(1, 10000) n`.execute(service.db)
    for (const full of [await replay({ from }), await request('POST', `${path}/test`, { token })]) {
      assert.deepEqual([full.status, full.body.code], [409, 'too_many_pending_deliveries'])
    }
    await sql`delete from webhook_deliveries where subject = 'full'`.execute(service.db)
  })

  await t.test('the log hides responses to events that were erased or rewritten', async () => {
    const [oz, ada] = [await signUp('operator'), await signUp()]
    const { id } = await addEndpoint(oz.token, '/echo')
    receiver.behave(answering(200, { 'x-echo': 'Ada Lovelace' }, 'Ada Lovelace'), '/echo')
    const mine = (event: object) => ({ ownerId: ada.userId, ...event })
    const [erased = '', rewritten = '', kept = ''] = await write(mine({}), mine({}), mine({}))
    const all = await untilDeliveries(
      oz.token,
      id,
      (found) => found.length === 3 && found.every(({ status }) => status === 'delivered'),
    )
    assert.ok(all.every(({ attempts }) => attempts[0].responseBody === 'Ada Lovelace'))
    await service.db.transaction().execute(async (trx) => {
      await eraseEvents(trx, [erased])
      await rewriteEvents(trx, [rewritten], (data) => data)
    })
    const shown = (await deliveries(oz.token, id)).filter((one) => JSON.stringify(one).includes('Lovelace'))
    assert.deepEqual(
      shown.map(({ request: { body } }) => JSON.parse(body).subject),
      [kept],
    )
    const forgotten = all.find((one) => one.id !== shown[0].id)
    const read = await request('GET', `/webhook-endpoints/${id}/deliveries/${forgotten.id}`, { token: oz.token })
    assert.deepEqual(Object.keys(read.body.attempts[0]), ['at', 'durationMs', 'status'])
  })

  await t.test('enabling an endpoint, or changing its URL, makes pending deliveries due at once', async () => {
    for (const changes of [[{ status: 'disabled' }, { status: 'enabled' }], [{ url: `${receiver.url}/moved` }]]) {
      const { id } = await newEndpoint('/waits')
      receiver.behave(answering(500), '/waits')
      await write({ ownerId: userId })
      await untilDeliveries(token, id, ([one]) => one?.attempts.length === 1)
      shift(6)
      const [delivery] = await untilDeliveries(token, id, ([one]) => one?.attempts.length === 2)
      assert.ok(Date.parse(delivery.nextAttemptAt) - service.clock.now().getTime() > 200_000)
      receiver.behave(answering(200), '/waits')
      for (const body of changes) await request('PATCH', `/webhook-endpoints/${id}`, { token, body })
      await untilDeliveries(token, id, ([one]) => one?.status === 'delivered')
    }
  })

  await t.test('a test event is sent once to one endpoint and is not in GET /events', async () => {
    const { id, secret } = await newEndpoint('/test?key=hidden')
    receiver.behave(answering(500), '/test?key=hidden')
    const answer = await request('POST', `/webhook-endpoints/${id}/test`, { token })
    assert.deepEqual([answer.status, answer.body.eventType], [202, 'webhook.test'])
    const [delivery] = await untilDeliveries(token, id, ([one]) => one?.status === 'failed')
    assert.equal(delivery.attempts.length, 1)
    const message = receiver.received.find(({ path }) => path.startsWith('/test'))
    const shown = JSON.parse(message?.body ?? '')
    assert.deepEqual([shown.type, shown.sequence, shown.subject], ['webhook.test', 1, id])
    assert.deepEqual(Object.keys(shown), ['id', 'type', 'createdAt', 'sequence', 'subject', 'data'])
    assert.ok(!message?.body.includes(secret) && !message?.body.includes('hidden'))
    const events = (await request('GET', '/events?limit=100', { token })).body.data
    assert.ok(events.every((event: { subject: string }) => event.subject !== id))
    const { failures } = await service.db
      .selectFrom('webhook_endpoints')
      .select('failures')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.equal(failures, 0, 'trying out does not make it worse')
  })

  for (const action of ['test', 'replay']) {
    const title = `a customer may request ${action} 60 times an hour, a repeated request counts once, and staff may more`
    await t.test(title, async () => {
      const body = action === 'test' ? undefined : { from: service.clock.now().toISOString() }
      const [ada, oz] = [await signUp(), await signUp('operator')]
      const send = async ({ token }: { token: string }) => {
        const { id } = await addEndpoint(token, '/tried')
        return request('POST', `/webhook-endpoints/${id}/${action}`, { token, body })
      }
      const endpoint = await addEndpoint(ada.token, '/tried')
      const repeated = { token: ada.token, body, headers: { 'idempotency-key': 'one' } }
      for (let n = 0; n < 2; n += 1) {
        assert.equal((await request('POST', `/webhook-endpoints/${endpoint.id}/${action}`, repeated)).status, 202)
      }
      assert.equal((await send(oz)).status, 202)
      const counted = sql`user_id = any(${[ada.userId, oz.userId]}) and operation like ${`${action}_%`}`
      const { rows } = await sql`
        select cardinality(performed_at) as count from account_operations where ${counted}`.execute(service.db)
      assert.deepEqual(rows, [{ count: 1 }, { count: 1 }])
      const setCount = async (count: number): Promise<void> => {
        const times = sql`array_fill(${service.clock.now()}::timestamptz, array[${count}::int])`
        await sql`update account_operations set performed_at = ${times} where ${counted}`.execute(service.db)
      }
      await setCount(59)
      assert.deepEqual([(await send(ada)).status, (await send(oz)).status], [202, 202])
      const refused = await send(ada)
      assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
      assert.ok(Number(refused.headers.get('retry-after')) > 3000)
      assert.equal((await send(oz)).status, 202)
      await setCount(600)
      assert.equal((await send(oz)).status, 429)
    })
  }

  await t.test('a replay that is refused because of its size counts, too', async () => {
    const { userId, token } = await signUp()
    const { id } = await addEndpoint(token, '/large')
    // Events of an early transaction, which have become deliveries long ago.
    await sql`
      insert into events (id, type, subject, owner_id, sequence, transaction_id, data, created_at)
      select 'evt_large' || n, 'order.created', 'large' || n, ${userId}, 1, '1', '{}', now()
      from generate_series(1, 10001) n`.execute(service.db)
    const replay = () =>
      request('POST', `/webhook-endpoints/${id}/replay`, { token, body: { from: '2026-01-01T00:00:00Z' } })
    const refused = await replay()
    assert.deepEqual([refused.status, refused.body.code], [422, 'replay_too_large'])
    const times = sql`array_fill(performed_at[1], array[60])`
    const counted = await sql`
      update account_operations set performed_at = ${times}
      where user_id = ${userId} and operation = 'replay_webhook'`.execute(service.db)
    assert.equal(counted.numAffectedRows, 1n)
    assert.equal((await replay()).status, 429)
    await sql`delete from events where id like 'evt_large%'`.execute(service.db)
  })

  await t.test('replays run one after another, because readers of events wait for each', async () => {
    const [ada, bo] = [await signUp(), await signUp()]
    const replay = async ({ token }: { token: string }, id: string) =>
      request('POST', `/webhook-endpoints/${id}/replay`, { token, body: { from: service.clock.now().toISOString() } })
    const [first, second] = [await addEndpoint(ada.token, '/one'), await addEndpoint(bo.token, '/two')]
    let ended = 0
    const replays = await service.db.transaction().execute(async (trx) => {
      await trx.selectFrom('webhook_endpoints').select('id').where('id', '=', first.id).forUpdate().execute()
      const held = replay(ada, first.id)
      await service.untilBlocked()
      const next = replay(bo, second.id).finally(() => (ended += 1))
      await delay(100)
      assert.equal(ended, 0)
      return [held, next]
    })
    assert.deepEqual(
      (await Promise.all(replays)).map(({ status }) => status),
      [202, 202],
    )
  })

  await t.test('an API key without events:read can neither read events in the log nor request deliveries', async () => {
    const { id } = await newEndpoint('/echo')
    const path = `/webhook-endpoints/${id}`
    receiver.behave((response, one) => answering(200, { 'x-echo': 'told' }, one.body)(response, one), '/echo')
    await write({ ownerId: userId, data: { id: 'private' } })
    const [whole] = await untilDeliveries(token, id, ([one]) => one?.status === 'delivered')
    assert.ok(whole.request.body.includes('private') && whole.attempts[0].responseBody.includes('private'))
    const wanted = { name: 'watch', permissions: ['webhooks:read', 'webhooks:write'] }
    const { key, id: keyId } = (await request('POST', '/api/api-keys', { token: accessToken, body: wanted })).body
    const as = { token: key }
    for (const address of [`${path}/deliveries`, `${path}/deliveries/${whole.id}`]) {
      const { status, text } = await request('GET', address, as)
      assert.ok(status === 200 && text.includes(whole.eventId))
      assert.ok(!text.includes('private') && !text.includes('told'), text)
    }
    const url = `${receiver.url}/mine`
    const refused = [
      request('POST', '/webhook-endpoints', { ...as, body: { url } }),
      request('PATCH', path, { ...as, body: { url } }),
      request('POST', `${path}/replay`, { ...as, body: { from: '2026-01-01T00:00:00Z' } }),
      request('POST', `${path}/deliveries/${whole.id}/retry`, as),
    ]
    for (const { status, body } of await Promise.all(refused)) {
      assert.deepEqual([status, body.code, body.permission], [403, 'insufficient_scope', 'events:read'])
    }
    assert.equal((await request('POST', `${path}/test`, as)).status, 202)
    await request('DELETE', `/api/api-keys/${keyId}`, { token: accessToken })
    assert.equal((await request('GET', path, { token })).status, 200, 'endpoints belong to people, not to keys')
  })

  await t.test('the log stores 2 KiB of response headers, including Retry-After', async () => {
    const { id } = await newEndpoint('/headers?token&a=1&b#c')
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`x-${index}`, 'x'.repeat(500)]))
    receiver.behave(answering(503, { ...many, 'retry-after': '600' }), '/headers?token&a=1&b')
    await write({ ownerId: userId })
    const [delivery] = await untilDeliveries(token, id, ([one]) => one?.attempts.length === 1)
    const [{ responseHeaders, at }] = delivery.attempts
    assert.equal(responseHeaders['retry-after'], '600')
    assert.ok(JSON.stringify(responseHeaders).length < 2_200)
    assert.ok(Date.parse(delivery.nextAttemptAt) - Date.parse(at) >= 600_000)
    assert.equal(delivery.request.url, `${receiver.url}/headers?***&a=***&***`)
  })

  // The worker locks queues before deliveries. Pruning that locks in the opposite order would deadlock with it.
  await t.test('releasing and deleting many subjects lock their queues first and in order', async () => {
    const { id } = await newEndpoint('/locks')
    const { db, clock } = service
    await request('PATCH', `/webhook-endpoints/${id}`, { token, body: { status: 'disabled' } })
    const token1 = crypto.randomUUID()
    const subjects = ['a', 'b', 'c']
    await sql`insert into webhook_queues (endpoint_id, subject, due_at, lease_token)
      select ${id}, subject, now(), ${token1}::uuid from unnest(${subjects}::text[]) as subject`.execute(db)
    const ids = subjects.map(() => newId('delivery'))
    await sql`insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, created_at)
      select id, ${id}, 'evt_1', 'order.created', subject, 'pending', now()
      from unnest(${ids}::text[], ${subjects}::text[]) as new (id, subject)`.execute(db)
    const held = subjects.toReversed().map((subject) => ({ endpointId: id, subject, token: token1 }))
    const works = [
      () => releaseClaims(db, held, clock.now()),
      () => pruneDeliveries(db, new Date(Date.now() + 86_400_000)),
    ]
    for (const work of works) {
      const other = await db.startTransaction().execute()
      await sql`select from webhook_queues where endpoint_id = ${id} and subject = 'a' for update`.execute(other)
      const working = work()
      await service.untilBlocked()
      await sql`select from webhook_queues where endpoint_id = ${id} and subject <> 'a' for update nowait`.execute(
        other,
      )
      await sql`select from webhook_deliveries where endpoint_id = ${id} for update nowait`.execute(other)
      await other.commit().execute()
      await working
    }
    assert.deepEqual(
      await db.selectFrom('webhook_queues').select('subject').where('endpoint_id', '=', id).execute(),
      [],
    )
    assert.deepEqual(await db.selectFrom('webhook_deliveries').select('id').execute(), [])
  })

  await t.test('a secret that cannot be decrypted fails the attempt and is shown in the log', async () => {
    const { id } = await newEndpoint('/sealed?hidden')
    await sql`update webhook_endpoints set secret_sealed = ${Buffer.alloc(60)} where id = ${id}`.execute(service.db)
    await write({ ownerId: userId })
    const [delivery] = await untilDeliveries(token, id, ([one]) => one?.attempts.length === 1)
    assert.deepEqual([delivery.status, delivery.attempts[0].error], ['pending', 'secret_unreadable'])
    assert.ok(delivery.nextAttemptAt)
    assert.equal(delivery.request.url, `${receiver.url}/sealed?***`)
    assert.ok(!receiver.received.some(({ path }) => path.startsWith('/sealed')))
    await request('POST', `/webhook-endpoints/${id}/rotate-secret`, { token, body: { overlapSeconds: 0 } })
    shift(6)
    await untilDeliveries(token, id, ([one]) => one?.status === 'delivered')
  })

  // If the constraint made the whole batch fail, the other deliveries would never be recorded.
  await t.test(
    'if the database rejects a result, it is recorded without the response, and other results as usual',
    async () => {
      const { id } = await newEndpoint('/refused')
      await sql`alter table webhook_deliveries add constraint refusing check (attempts::text not like '%unbearable%')`.execute(
        service.db,
      )
      receiver.behave(
        (response, { body }) => answering(200, {}, body.includes('odd') ? 'unbearable' : '')(response, {} as Received),
        '/refused',
      )
      await write({ ownerId: userId, data: { id: 'odd' } }, { ownerId: userId }, { ownerId: userId })
      const all = await untilDeliveries(
        token,
        id,
        (found) => found.length === 3 && found.every(({ status }) => status === 'delivered'),
      )
      assert.deepEqual([all[2].attempts[0].status, all[2].attempts[0].responseBody], [200, undefined])
      await sql`alter table webhook_deliveries drop constraint refusing`.execute(service.db)
    },
  )
})
