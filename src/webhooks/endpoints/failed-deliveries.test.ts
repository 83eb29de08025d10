import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startService, type TestService } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { startShop } from '../../orders/factory.ts'
import { addSeconds } from '../../platform/clock.ts'
import { firstIdAt } from '../ids.ts'

async function deliver({ db }: Pick<TestService, 'db'>, endpoint: string, status: string, count: number, at?: Date) {
  const id = () => (at === undefined ? newId('delivery') : firstIdAt('delivery', at))
  for (let n = 0; n < count; n += 1) {
    await sql`
      insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, created_at)
      values (${id()}, ${endpoint}, ${newId('event')}, 'order.created', ${newId('order')}, ${status}, now())`.execute(
      db,
    )
  }
}

test('an endpoint names the number of its failed deliveries, of which the first thousand are counted', async (t) => {
  const service = await startService(t)
  const { request, signUp } = service
  const { accessToken: token } = await signUp({ role: 'operator' })
  const add = async (): Promise<string> =>
    (await request('POST', '/webhook-endpoints', { token, body: { url: 'https://shop.example/' } })).body.id
  const [some, many] = [await add(), await add()]
  await deliver(service, some, 'delivered', 1)
  await deliver(service, some, 'pending', 1)
  await deliver(service, some, 'failed', 2)
  await deliver(service, many, 'failed', 1_001)
  const { data } = (await request('GET', '/webhook-endpoints', { token })).body
  assert.deepEqual(
    data.map(({ id, failedDeliveries }: Record<string, unknown>) => [id, failedDeliveries]),
    [
      [many, 1_000],
      [some, 2],
    ],
  )
  assert.equal((await request('GET', `/webhook-endpoints/${some}`, { token })).body.failedDeliveries, 2)
})

test('staff sees the failed deliveries of all endpoints of staff, and which only with webhooks:read', async (t) => {
  const shop = await startShop(t)
  const { request, service } = shop
  const [owner, other, customer] = [await shop.signUp('operator'), await shop.signUp('admin'), await shop.signUp()]
  const add = async ({ token }: { token: string }, path: string): Promise<string> => {
    const body = { url: `https://hooks.example:8443/${path}?token=hidden`, description: path }
    return (await request('POST', '/webhook-endpoints', { token, body })).body.id
  }
  const endpoints = [await add(owner, 'books'), await add(other, 'stock'), await add(customer, 'theirs')]
  const deleted = await add(owner, 'deleted')
  const read = async (token: string) => {
    const { status, body } = await request('GET', '/production/statistics?days=1', { token })
    assert.equal(status, 200)
    return [body.failedDeliveries, body.failingEndpoints]
  }
  assert.deepEqual(await read(other.token), [0, []])
  for (const id of [...endpoints, deleted]) await deliver(service, id, 'failed', 2)
  await deliver(service, endpoints[1] ?? '', 'delivered', 1)
  const now = service.clock.now()
  // Neither an old failure alone nor one beside newer ones counts.
  const old = await add(other, 'old')
  await deliver(service, old, 'failed', 1, addSeconds(now, -7 * 86_400 - 60))
  await deliver(service, endpoints[0] ?? '', 'failed', 1, addSeconds(now, -8 * 86_400))
  await request('DELETE', `/webhook-endpoints/${deleted}`, { token: owner.token })

  const { name, email } = (await request('GET', '/me', { token: owner.token })).body
  const [count, failing] = await read(other.token)
  assert.equal(count, 4)
  assert.deepEqual(failing[0], {
    ...{ id: endpoints[0], host: 'hooks.example:8443', description: 'books', failedDeliveries: 2 },
    owner: { userId: owner.userId, name, email },
  })
  assert.deepEqual(
    failing.map(({ id }: { id: string }) => id),
    endpoints.slice(0, 2),
  )
  const { token: key } = await shop.signUpKey('operator', ['orders:read', 'webhooks:read'])
  assert.deepEqual(await read(key), [count, failing])
  const { token: blind } = await shop.signUpKey('operator', ['orders:read'])
  const { accessToken: packer } = await service.signUp({ role: 'operator', staffRole: 'packing' })
  for (const token of [blind, packer]) assert.deepEqual(await read(token), [4, undefined])
  await deliver(service, endpoints[1] ?? '', 'failed', 1_000)
  assert.equal((await read(packer))[0], 1_000)
})
