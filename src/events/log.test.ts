import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilEventsVisible } from '../../test/harness.ts'
import { newId } from '../../test/ids.ts'
import { type Shop, startShop } from '../orders/factory.ts'
import { addSeconds } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/db/index.ts'
import { emit } from '../platform/outbox/index.ts'

interface Written {
  subject?: string
  type?: string
  at?: Date
}

/** Signs a user up and returns functions that write and read the user's events. */
async function signUpReader(shop: Shop) {
  const { token, userId } = await shop.signUp()
  const write = async (
    db: Db | Trx,
    { subject = newId('order'), type = 'order.created', at = new Date() }: Written,
  ) => {
    const event = { type, subject, ownerId: userId, data: { id: subject }, at }
    if (db.isTransaction) await emit(db as Trx, event)
    else await db.transaction().execute((trx) => emit(trx, event))
    return subject
  }
  const read = (query: string, as = token) => shop.request('GET', `/events?${query}`, { token: as })
  return { token, write, read }
}

const subjectsOf = ({ body }: { body: { data: { subject: string }[] } }) => body.data.map(({ subject }) => subject)

test('the log of events', async (t) => {
  const shop = await startShop(t)
  const { db } = shop

  await t.test('newest first, page by page, while newer events arrive', async () => {
    const { write, read } = await signUpReader(shop)
    const subjects: string[] = []
    for (let n = 0; n < 5; n += 1) subjects.unshift(await write(db, {}))
    await untilEventsVisible(db)
    const pages: string[][] = []
    for (let cursor = ''; cursor !== null; ) {
      const page = await read(`order=desc&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      assert.equal(page.status, 200, page.text)
      pages.push(subjectsOf(page))
      await write(db, {})
      await untilEventsVisible(db)
      cursor = page.body.nextCursor
    }
    assert.deepEqual(pages, [subjects.slice(0, 2), subjects.slice(2, 4), subjects.slice(4)])
    const forward = await read('limit=5')
    assert.deepEqual(subjectsOf(forward), subjects.toReversed())
  })

  // Otherwise a reader that goes on forward from the newest event would miss the event of the slow transaction.
  await t.test('the newest event is one before the oldest open transaction', async () => {
    const { write, read, token } = await signUpReader(shop)
    const before = await write(db, {})
    await untilEventsVisible(db)
    let slow = ''
    const { seen, hidden } = await db.transaction().execute(async (trx) => {
      slow = await write(trx, {})
      const quick = await write(db, {})
      const { id } = await db.selectFrom('events').select('id').where('subject', '=', quick).executeTakeFirstOrThrow()
      return { seen: await read('order=desc'), hidden: await shop.request('GET', `/events/${id}`, { token }) }
    })
    assert.deepEqual(subjectsOf(seen), [before])
    assert.deepEqual([hidden.status, hidden.body.code], [404, 'no_such_event'])
    await untilEventsVisible(db)
    assert.deepEqual(subjectsOf(await read(`after=${seen.body.data[0].id}`))[0], slow)
  })

  await t.test('a log of one record, of one type and of a time', async () => {
    const { write, read } = await signUpReader(shop)
    const noon = new Date('2026-03-01T12:00:00Z')
    const order = newId('order')
    const at = (minutes: number) => addSeconds(noon, minutes * 60)
    await write(db, { at: at(-600) })
    const first = await write(db, { at: at(0) })
    await write(db, { subject: order, at: at(10) })
    await write(db, { subject: order, type: 'order.confirmed', at: at(20) })
    // An event of a slower clock is out of order.
    const late = await write(db, { at: at(5) })
    await write(db, { at: at(600) })
    await untilEventsVisible(db)
    const time = `from=${noon.toISOString()}&to=${at(15).toISOString()}`
    assert.deepEqual(subjectsOf(await read(time)), [first, order, late])
    assert.deepEqual(subjectsOf(await read(`${time}&order=desc`)), [late, order, first])
    assert.deepEqual(subjectsOf(await read(`from=${at(20).toISOString()}&to=${at(21).toISOString()}`)), [order])
    // The event of the slower clock neither ends the range nor begins it.
    assert.deepEqual(subjectsOf(await read(`from=${at(7).toISOString()}&to=${at(30).toISOString()}`)), [order, order])
    assert.deepEqual(subjectsOf(await read(`from=${at(0).toISOString()}&to=${at(8).toISOString()}`)), [first, late])
    assert.deepEqual(subjectsOf(await read(`subject=${order}`)), [order, order])
    assert.deepEqual(subjectsOf(await read(`subject=${order}&type=order.confirmed`)), [order])
    assert.deepEqual(subjectsOf(await read(`subject=${order}&${time}`)), [order])
    assert.deepEqual(subjectsOf(await read('subject=%27%20or%201%3D1')), [])
    const last = (await read(`${time}&order=desc&limit=1`)).body.nextCursor
    assert.deepEqual(subjectsOf(await read(`${time}&order=desc&cursor=${last}`)), [order, first])
  })

  await t.test('customers read their own events only, by every filter', async () => {
    const [owner, stranger] = [await signUpReader(shop), await signUpReader(shop)]
    const subject = await owner.write(db, {})
    await untilEventsVisible(db)
    const [event] = (await owner.read('order=desc')).body.data
    assert.deepEqual((await shop.request('GET', `/events/${event.id}`, { token: owner.token })).body, event)
    const operator = (await shop.signUp('operator')).token
    assert.deepEqual((await shop.request('GET', `/events/${event.id}`, { token: operator })).body, event)
    const foreign = await shop.request('GET', `/events/${event.id}`, { token: stranger.token })
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'no_such_event'])
    assert.deepEqual(subjectsOf(await stranger.read(`subject=${subject}`)), [])
    assert.deepEqual(subjectsOf(await stranger.read('order=desc')), [])
    const cursor = await stranger.read(`order=desc&cursor=${event.id}`)
    assert.deepEqual([cursor.status, cursor.body.code], [400, 'event_not_found'])
    const { token: key } = await shop.signUpKey('customer', ['orders:read'])
    assert.equal((await shop.request('GET', `/events/${event.id}`, { token: key })).status, 403)
  })

  await t.test('a log that goes backward has no `after`, and unreal times are refused', async () => {
    const { read, write } = await signUpReader(shop)
    await write(db, {})
    await untilEventsVisible(db)
    const [event] = (await read('')).body.data
    const after = await read(`order=desc&after=${event.id}`)
    assert.deepEqual([after.status, after.body.errors[0].parameter], [400, 'after'])
    assert.equal((await read('from=yesterday')).status, 400)
    assert.equal((await read('to=2026-06-30T23:59:60Z')).status, 400)
    assert.equal((await read('order=newest')).status, 400)
  })
})
