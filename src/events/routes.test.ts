import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { untilEventsVisible } from '../../test/harness.ts'
import { newId } from '../../test/ids.ts'
import { type Shop, startShop } from '../orders/factory.ts'
import type { Trx } from '../platform/db/index.ts'
import { emit } from '../platform/outbox/index.ts'
import { eventJobs } from './jobs.ts'

/** Signs a user up and returns functions that read the user's events. */
async function signUpReader(shop: Shop) {
  const { token, userId } = await shop.signUp()
  const read = (query = '', as = token) => shop.request('GET', `/events${query}`, { token: as })
  return { userId, read }
}

function write(trx: Trx, ownerId: string, subject = newId('order'), at = new Date()): Promise<void> {
  return emit(trx, { type: 'order.created', subject, ownerId, data: { id: subject }, at })
}

const writeAlone = ({ db }: Shop, ownerId: string, subject?: string) =>
  db.transaction().execute((trx) => write(trx, ownerId, subject))

async function writeVisibly(shop: Shop, ownerId: string, subject?: string): Promise<void> {
  await writeAlone(shop, ownerId, subject)
  await untilEventsVisible(shop.db)
}

const subjectsOf = ({ body }: { body: { data: { subject: string }[] } }) => body.data.map(({ subject }) => subject)

test('reading events', async (t) => {
  const shop = await startShop(t)

  await t.test('events are read forward, page by page, and end with a null cursor', async () => {
    const { userId, read } = await signUpReader(shop)
    const subjects = [newId('order'), newId('order'), newId('order')]
    for (const subject of subjects) await writeVisibly(shop, userId, subject)
    const first = await read('?limit=2')
    assert.deepEqual(subjectsOf(first), subjects.slice(0, 2))
    assert.equal(first.body.nextCursor, first.body.data[1].id)
    const rest = await read(`?limit=2&after=${first.body.nextCursor}`)
    assert.deepEqual([subjectsOf(rest), rest.body.nextCursor], [subjects.slice(2), null])
    const none = await read(`?after=${rest.body.data[0].id}`)
    assert.deepEqual([none.body.data, none.body.nextCursor], [[], null])
  })

  await t.test('a helper that follows nextCursor with cursor reads all events, as in other lists', async () => {
    const { userId, read } = await signUpReader(shop)
    const subjects = [newId('order'), newId('order'), newId('order')]
    for (const subject of subjects) await writeVisibly(shop, userId, subject)
    const [first] = (await read('?limit=1')).body.data
    const found: string[] = []
    // The helper adds the cursor to the query of the first page.
    for (let query = `?limit=1&after=${first.id}`, cursor = ''; cursor !== null; ) {
      const page = await read(query + (cursor === '' ? '' : `&cursor=${cursor}`))
      assert.equal(page.status, 200, page.text)
      found.push(...subjectsOf(page))
      cursor = page.body.nextCursor
    }
    assert.deepEqual(found, subjects.slice(1))
    const refused = await read('?cursor=x')
    assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_cursor'])
    const unknown = await read(`?cursor=${newId('event')}`)
    assert.deepEqual([unknown.body.code, unknown.body.errors[0].parameter], ['event_not_found', 'cursor'])
  })

  await t.test('customers see their own events, operators all events', async () => {
    const { userId, read } = await signUpReader(shop)
    const [mine, theirs] = [newId('order'), newId('order')]
    await writeVisibly(shop, userId, mine)
    await writeVisibly(shop, (await shop.signUp()).userId, theirs)
    assert.deepEqual(subjectsOf(await read()), [mine])
    const all = await read('', (await shop.signUp('operator')).token)
    assert.deepEqual(subjectsOf(all).slice(-2), [mine, theirs])
    const foreign = await read(`?after=${all.body.data.at(-1).id}`)
    assert.deepEqual([foreign.status, foreign.body.code], [400, 'event_not_found'])
    assert.equal((await read('', (await shop.signUpKey('customer', ['orders:read'])).token)).status, 403)
  })

  await t.test('events can be filtered by type', async () => {
    const { userId, read } = await signUpReader(shop)
    await writeVisibly(shop, userId)
    assert.equal((await read('?type=order.created')).body.data.length, 1)
    assert.deepEqual((await read('?type=order.shipped')).body.data, [])
    assert.equal((await read('?type=order.lost')).status, 400)
  })

  // A cursor that consists of the position alone would skip the event of the slow transaction.
  await t.test('an event of a slow transaction is not skipped', async () => {
    const { userId, read } = await signUpReader(shop)
    const [before, slow, quick] = [newId('order'), newId('order'), newId('order')]
    await writeVisibly(shop, userId, before)
    const seen = await shop.db.transaction().execute(async (trx) => {
      await write(trx, userId, slow)
      await writeAlone(shop, userId, quick)
      return read()
    })
    assert.deepEqual(subjectsOf(seen), [before])
    await untilEventsVisible(shop.db)
    const rest = await read(`?after=${seen.body.data[0].id}`)
    assert.deepEqual(subjectsOf(rest), [slow, quick])
  })

  await t.test('continuing after a deleted event gives an error with the oldest readable event', async () => {
    const { token, userId } = await shop.signUpKey('customer', ['events:read'])
    await writeVisibly(shop, userId)
    const [pruned] = (await shop.request('GET', '/events', { token })).body.data
    shop.service.clock.shift(31 * 86_400)
    const kept = newId('order')
    await shop.db.transaction().execute((trx) => write(trx, userId, kept, shop.service.clock.now()))
    const [prune] = eventJobs({ db: shop.db, clock: shop.service.clock })
    await prune?.handle({})
    await untilEventsVisible(shop.db)
    const { body } = await shop.request('GET', '/events', { token })
    assert.deepEqual(subjectsOf({ body }), [kept])
    const refused = await shop.request('GET', `/events?after=${pruned.id}`, { token })
    assert.deepEqual([refused.status, refused.body.code], [400, 'event_expired'])
    assert.deepEqual([refused.body.oldestEventId, refused.body.errors[0].parameter], [body.data[0].id, 'after'])
    const headers = { 'last-event-id': pruned.id }
    const stream = await shop.request('GET', '/events/stream', { token, headers })
    assert.deepEqual([stream.status, stream.body.errors[0].header], [400, 'Last-Event-ID'])
  })
})

// HEAD reads as much as GET, and sends nothing.
test('requests for events of one customer read one after another, also with HEAD', async (t) => {
  const shop = await startShop(t)
  const { token } = await shop.signUp()
  const waiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%events_readable_before%'`.execute(
      shop.db,
    )
    return rows.length
  }
  const ask = (method: string) => shop.request(method, '/events?limit=100', { token })
  let asked: ReturnType<typeof ask>[] = []
  const readAtOnce = await shop.db.transaction().execute(async (trx) => {
    await sql`lock table events in access exclusive mode`.execute(trx)
    asked = [ask('HEAD'), ask('GET'), ask('HEAD')]
    await shop.service.untilBlocked()
    await delay(200)
    return waiting()
  })
  const answers = await Promise.all(asked)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal(readAtOnce, 1)
})
