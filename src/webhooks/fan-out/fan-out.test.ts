import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { untilEventsVisible } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { until } from '../../../test/lib/until.ts'
import { emit } from '../../platform/outbox/index.ts'
import { startWebhookScene } from '../factory.ts'
import { createFanOut } from './fan-out.ts'

test('creating deliveries of new events', async (t) => {
  const scene = await startWebhookScene(t, { isStill: true })
  const { service, signUp, addEndpoint, write } = scene
  const { request, db } = service
  const fanOut = createFanOut(service.services.webhooks)
  const dispatchAll = async (): Promise<void> => {
    await untilEventsVisible(db)
    while ((await fanOut.addNew()).isFull);
  }
  const told = async ({ id }: { id: string }): Promise<string[]> => {
    const rows = await db
      .selectFrom('webhook_deliveries')
      .select('subject')
      .where('endpoint_id', '=', id)
      .orderBy('number')
      .execute()
    return rows.map(({ subject }) => subject)
  }

  await t.test('without endpoints, events are not read', async () => {
    const deps = service.services.webhooks
    const { feed } = deps
    let listening = 0
    deps.feed = {
      ...feed,
      subscribe: (listener) => {
        listening += 1
        const end = feed.subscribe(listener)
        return () => {
          listening -= 1
          end()
        }
      },
    }
    const untilListening = (count: number) => until(`${count} listeners`, () => listening === count)
    const { token } = await signUp()
    const engine = scene.start()
    engine.wake()
    await untilListening(0)
    const { id } = await addEndpoint(token)
    await untilListening(1)
    await request('DELETE', `/webhook-endpoints/${id}`, { token })
    await untilListening(0)
    await engine.stop()
    deps.feed = feed
  })

  await t.test('an endpoint receives own events (staff: all), of its types, from after its creation', async () => {
    const [ada, bob, oz] = [await signUp(), await signUp(), await signUp('operator')]
    await write({ ownerId: ada.userId })
    const all = await addEndpoint(ada.token)
    const some = await addEndpoint(ada.token, '/some', { types: ['order.shipped'] })
    const everybodys = await addEndpoint(oz.token)
    const off = await addEndpoint(ada.token, '/off')
    const patchOff = (status: string) =>
      request('PATCH', `/webhook-endpoints/${off.id}`, { token: ada.token, body: { status } })
    await patchOff('disabled')
    const [one, two, three] = await write(
      { ownerId: ada.userId },
      { ownerId: ada.userId, type: 'order.shipped' },
      { ownerId: bob.userId },
    )
    await dispatchAll()
    const seen = () => Promise.all([all, some, everybodys, off].map(told))
    assert.deepEqual(await seen(), [[one, two], [two], [one, two, three], []])

    const set = (userId: string, change: object) =>
      db.updateTable('users').set(change).where('id', '=', userId).execute()
    await set(oz.userId, { role: 'customer' })
    await set(ada.userId, { disabled_at: new Date() })
    const [, own] = await write({ ownerId: ada.userId }, { ownerId: oz.userId })
    await dispatchAll()
    assert.deepEqual(await seen(), [[one, two], [two], [one, two, three, own], []])

    await set(ada.userId, { disabled_at: null })
    await write({ ownerId: ada.userId })
    await patchOff('enabled')
    const [later] = await write({ ownerId: ada.userId })
    await dispatchAll()
    assert.deepEqual(await told(off), [later], 'nothing from while it was disabled')
  })

  await t.test('looking for events writes nothing if there are none', async () => {
    const lastLock = async () => (await sql`select xmax::text, ctid::text from webhook_cursor`.execute(db)).rows
    await dispatchAll()
    const before = await lastLock()
    await fanOut.addNew()
    await fanOut.catchUp()
    assert.deepEqual(await lastLock(), before)
  })

  // A cursor that consists of the position alone would skip the event of the slow transaction.
  await t.test('an event of a slow transaction is delivered in its place', async () => {
    const { token, userId } = await signUp()
    const endpoint = await addEndpoint(token)
    const [slow, quick] = [newId('order'), newId('order')]
    await db.transaction().execute(async (trx) => {
      await emit(trx, { type: 'order.created', subject: slow, ownerId: userId, data: {}, at: new Date() })
      await write({ ownerId: userId, subject: quick })
      await fanOut.addNew()
      assert.deepEqual(await told(endpoint), [])
    })
    await dispatchAll()
    assert.deepEqual(await told(endpoint), [slow, quick])
  })

  await t.test(
    'an endpoint receives events committed after its creation, also of transactions that began before',
    async () => {
      const { token, userId } = await signUp()
      const [slow, before, after] = [newId('order'), newId('order'), newId('order')]
      const open = await db.startTransaction().execute()
      await emit(open, { type: 'order.created', subject: slow, ownerId: userId, data: {}, at: new Date() })
      // This transaction gets its position before the other one, but commits after it.
      const overtaken = await db.startTransaction().execute()
      await sql`select pg_current_xact_id()`.execute(overtaken)
      await write({ ownerId: userId, subject: before })
      const endpoint = await addEndpoint(token)
      await emit(overtaken, { type: 'order.confirmed', subject: before, ownerId: userId, data: {}, at: new Date() })
      await write({ ownerId: userId, subject: after })
      await overtaken.commit().execute()
      await open.commit().execute()
      await dispatchAll()
      assert.deepEqual(await told(endpoint), [slow, before, after])
      const range = { from: '2026-01-01T00:00:00Z' }
      const replay = await request('POST', `/webhook-endpoints/${endpoint.id}/replay`, { token, body: range })
      assert.equal(replay.body.count, 4, 'what was there before can be asked for')
    },
  )

  await t.test(
    'one process creates deliveries at a time; if it is killed, another continues at the same event',
    async () => {
      const { token, userId } = await signUp()
      const endpoint = await addEndpoint(token)
      const subjects = await write({ ownerId: userId }, { ownerId: userId })
      await untilEventsVisible(db)
      // The transaction stands for a process that is killed before it commits.
      const killed = await db.startTransaction().execute()
      await sql`select from webhook_cursor for update`.execute(killed)
      await sql`update webhook_cursor set transaction_id = '99999999', position = 1`.execute(killed)
      assert.equal((await fanOut.addNew()).endpointIds.size, 0)
      await killed.rollback().execute()
      await Promise.all([dispatchAll(), dispatchAll(), dispatchAll()])
      await dispatchAll()
      assert.deepEqual(await told(endpoint), subjects)
    },
  )

  await t.test(
    'an endpoint with too many pending deliveries falls behind without delaying others or missing events',
    async () => {
      const [slow, oz] = [await signUp(), await signUp('operator')]
      const behind = await addEndpoint(slow.token)
      const failing = await addEndpoint(slow.token, '/failing')
      const inStep = await addEndpoint(oz.token, '/all', { types: ['order.delivered'] })
      await sql`update webhook_endpoints set failures = 1, failing_since = now() where id = ${failing.id}`.execute(db)
      const writeMany = (count: number, type: string) =>
        sql`insert into events (id, type, subject, owner_id, sequence, data, created_at)
        select 'evt_' || ${type}::text || n, ${type}::text, 'ord_' || ${type}::text || n, ${slow.userId}, 1, '{}', now()
        from generate_series(1, ${count}::int) as n`.execute(db)
      await writeMany(1700, 'order.created')
      await dispatchAll()
      await writeMany(10, 'order.delivered')
      await dispatchAll()
      const counts = () => Promise.all([behind, failing, inStep].map(async (one) => (await told(one)).length))
      const [many = 0, few = 0, last] = await counts()
      assert.ok(many >= 1000 && many <= 1500 && few < 600, `${many} ${few}`)
      assert.equal(last, 10)
      await fanOut.catchUp()
      assert.deepEqual(await counts(), [many, few, last], 'there is no room yet')
      await sql`update webhook_deliveries set status = 'delivered' where endpoint_id = ${failing.id}`.execute(db)
      await fanOut.catchUp()
      assert.equal((await told(failing)).length, few + 50, 'it is handed on no more than there is room for')
      // The endpoint still receives the events that it had not received before it was disabled.
      const patch = (status: string) =>
        request('PATCH', `/webhook-endpoints/${failing.id}`, { token: slow.token, body: { status } })
      await patch('disabled')
      await writeMany(1, 'order.on_hold')
      await dispatchAll()
      assert.equal((await patch('enabled')).status, 200)
      await sql`update webhook_endpoints set failures = 0, failing_since = null`.execute(db)
      for (let rounds = 0; rounds < 10; rounds += 1) {
        await sql`update webhook_deliveries set status = 'delivered'`.execute(db)
        await fanOut.catchUp()
      }
      for (const [endpoint, isTold] of [
        [behind, true],
        [failing, false],
      ] as const) {
        const subjects = (await told(endpoint)).filter((subject) => subject !== 'ord_order.on_hold1')
        assert.deepEqual([subjects.length, new Set(subjects).size], [1710, 1710])
        assert.ok(subjects.slice(-10).every((subject) => subject.startsWith('ord_order.delivered')))
        assert.equal(
          (await told(endpoint)).length > 1710,
          isTold,
          'only what happened while it was disabled is passed over',
        )
      }
      await writeMany(1, 'order.cancelled')
      await dispatchAll()
      assert.equal((await told(behind)).at(-1), 'ord_order.cancelled1', 'it goes on with all others')
    },
  )
})
