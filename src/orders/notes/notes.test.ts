import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startShop } from '../factory.ts'

/** A word that no other test data contains. */
const SECRET = 'Quicksilver'

test('operators read the notes of an order with author and time, and its customer reads nothing of them', async (t) => {
  const shop = await startShop(t)
  const { request, db } = shop
  const [customer, operator] = [await shop.signUp(), await shop.signUp('operator')]
  const { order } = await shop.order({ person: customer })
  await request('POST', `/orders/${order.id}/payments`, { token: operator.token, body: { method: 'manual' } })
  const before = (await request('GET', `/orders/${order.id}`, { token: customer.token })).body
  const post = { token: operator.token, body: { text: `${SECRET} paper,\nshelf 4.` } }
  const noted = await request('POST', `/orders/${order.id}/notes`, post)
  assert.equal(noted.status, 201, noted.text)
  const { email } = (await request('GET', '/me', { token: operator.token })).body
  const author = { userId: operator.userId, email, name: null }
  const { id, createdAt } = noted.body
  assert.match(id, /^nte_/)
  assert.deepEqual(noted.body, { id, text: post.body.text, author, createdAt })
  await request('POST', `/orders/${order.id}/start-production`, { token: operator.token })

  const seen = await request('GET', `/orders/${order.id}`, { token: operator.token })
  assert.deepEqual(seen.body.notes, [noted.body])
  const list = await request('GET', '/production/orders', { token: operator.token })
  assert.deepEqual(list.body.data[0].notes, [noted.body])
  const summaries = await request('GET', '/production/orders?view=summary', { token: operator.token })
  assert.equal(summaries.body.data[0].notes, undefined)

  const own = await request('GET', `/orders/${order.id}`, { token: customer.token })
  assert.ok(own.body.revision > before.revision)
  const answers = [own, await request('GET', '/orders', { token: customer.token })]
  answers.push(await request('GET', '/me/export', { token: customer.token }))
  for (const { text } of answers) assert.doesNotMatch(text, new RegExp(`${SECRET}|"notes"`))
  // Events are what webhooks deliver. Mails and jobs are in tables, too.
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'`.execute(db)
  for (const { name } of rows) {
    const { rows: found } = await sql`
      select from ${sql.raw(name)} as t where t::text like ${`%${SECRET}%`}`.execute(db)
    assert.equal(found.length, name === 'public.order_notes' ? 1 : 0, name)
  }
})

test('a note increases the revision, and leaves the time of the last change', async (t) => {
  const shop = await startShop(t)
  const operator = await shop.signUp('operator')
  const { order } = await shop.order()
  const read = async () => (await shop.request('GET', `/orders/${order.id}`, { token: operator.token })).body
  const before = await read()
  shop.service.clock.shift(10)
  await shop.request('POST', `/orders/${order.id}/notes`, { token: operator.token, body: { text: 'Note.' } })
  const after = await read()
  assert.deepEqual({ ...after, notes: [], revision: before.revision }, before)
  assert.equal(after.revision, before.revision + 1)
})

test('customers and keys without the permission cannot add notes, and a repeated request adds one', async (t) => {
  const shop = await startShop(t)
  const operator = await shop.signUp('operator')
  const reader = await shop.signUpKey('operator', ['orders:read'])
  const { order, token } = await shop.order()
  const add = (by: string, headers: Record<string, string> = {}) =>
    shop.request('POST', `/orders/${order.id}/notes`, { token: by, body: { text: 'Note.' }, headers })
  const [own, read] = [await add(token), await add(reader.token)]
  assert.deepEqual([own.status, own.body.code], [403, 'insufficient_role'])
  assert.deepEqual([read.status, read.body.code], [403, 'insufficient_scope'])
  const once = { 'Idempotency-Key': 'note-1' }
  const [first, again] = [await add(operator.token, once), await add(operator.token, once)]
  assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body])
  const { body } = await shop.request('GET', `/orders/${order.id}`, { token: operator.token })
  assert.equal(body.notes.length, 1)
})

test('every staff role that changes something about orders adds notes, as do their keys, and read-only does not', async (t) => {
  const shop = await startShop(t)
  const { order } = await shop.order()
  const add = (token: string) => shop.request('POST', `/orders/${order.id}/notes`, { token, body: { text: 'Note.' } })
  for (const [staffRole, permission] of [
    ['prepress', 'production:write'],
    ['packing', 'shipping:write'],
    ['accounting', 'payments:write'],
  ] as const) {
    const { accessToken: token } = await shop.service.signUp({ role: 'operator', staffRole })
    const keyWith = async (permissions: string[]): Promise<string> => {
      const { body } = await shop.request('POST', '/api/api-keys', { token, body: { name: 'note', permissions } })
      return body.key
    }
    assert.equal((await add(token)).status, 201, staffRole)
    assert.equal((await add(await keyWith([permission]))).status, 201, staffRole)
    const refused = await add(await keyWith(['orders:read']))
    assert.deepEqual([refused.status, refused.body.permission], [403, permission], staffRole)
  }
  const { accessToken: reader } = await shop.service.signUp({ role: 'operator', staffRole: 'read_only' })
  const refused = await add(reader)
  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope'])
})

test('only the author deletes a note, also with a key, and the revision tells others', async (t) => {
  const shop = await startShop(t)
  const { order } = await shop.order()
  const { accessToken: author } = await shop.service.signUp({ role: 'operator', staffRole: 'packing' })
  const { token: other } = await shop.signUp('admin')
  const read = async () => (await shop.request('GET', `/orders/${order.id}`, { token: other })).body
  const add = async (text: string): Promise<string> =>
    (await shop.request('POST', `/orders/${order.id}/notes`, { token: author, body: { text } })).body.id
  const [first, second] = [await add('First.'), await add('Second.')]
  const remove = async (noteId: string, token: string, orderId = order.id) => {
    const { status, body } = await shop.request('DELETE', `/orders/${orderId}/notes/${noteId}`, { token })
    return status === 204 ? 204 : [status, body.code]
  }
  const { revision } = await read()
  assert.deepEqual(await remove(first, other), [403, 'order_note_of_another_author'])
  const another = (await shop.order()).order
  assert.deepEqual(await remove(first, author, another.id), [404, 'order_note_not_found'])
  assert.equal((await read()).revision, revision)

  assert.equal(await remove(first, author), 204)
  assert.deepEqual(await remove(first, author), [404, 'order_note_not_found'])
  const left = await read()
  assert.deepEqual([left.revision, left.notes.map(({ id }: { id: string }) => id)], [revision + 1, [second]])
  const body = { name: 'notes', permissions: ['shipping:write'] }
  const { key } = (await shop.request('POST', '/api/api-keys', { token: author, body })).body
  assert.equal(await remove(second, key), 204)
  assert.deepEqual((await read()).notes, [])
})

test('an order has at most 100 notes', async (t) => {
  const shop = await startShop(t)
  const operator = await shop.signUp('operator')
  const { order } = await shop.order()
  await sql`
    insert into order_notes (id, order_id, text, created_at)
    select 'nte_' || n, ${order.id}, 'Note.', now() from generate_series(1, 99) as n`.execute(shop.db)
  const add = () =>
    shop.request('POST', `/orders/${order.id}/notes`, { token: operator.token, body: { text: 'Note.' } })
  const [last, more] = [await add(), await add()]
  assert.deepEqual([last.status, more.status, more.body.code], [201, 409, 'too_many_order_notes'])
})
