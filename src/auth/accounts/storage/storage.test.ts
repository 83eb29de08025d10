import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { startService } from '../../../../test/harness.ts'
import { until } from '../../../../test/lib/until.ts'
import { upload } from '../../../assets/factory.ts'

const MIB = 1024 * 1024

const makePng = (size: number): Promise<Buffer> =>
  sharp({ create: { width: size, height: size, channels: 3, background: '#336699' } })
    .png({ compressionLevel: 0 })
    .toBuffer()

interface Page {
  data: {
    userId: string
    customerId: string
    kind: string
    email: string | null
    used: number
    storageQuota: number | null
  }[]
  nextCursor: string | null
}

async function start(t: TestContext) {
  const service = await startService(t, { env: { PLATEN_STORAGE_QUOTA_MIB: '10' } })
  const admin = await service.signUp({ role: 'admin' })
  const call = (method: string, path: string, body?: object, token = admin.accessToken) =>
    service.request(method, path, { token, ...(body === undefined ? {} : { body }) })
  /** Signs up an account that stores a picture. */
  const storing = async (widthPx: number) => {
    const account = await service.signUp()
    const picture = await makePng(widthPx)
    assert.equal((await upload(service, account.accessToken, picture)).status, 201)
    const { used } = (await call('GET', '/me/storage', undefined, account.accessToken)).body
    return { ...account, picture, used: used as number }
  }
  const list = async (query = ''): Promise<Page> => (await call('GET', `/storage/accounts?${query}`)).body
  return { service, admin, call, storing, list }
}

test('the list has every account that stores something, the largest first, on pages that fit together', async (t) => {
  const { service, call, storing, list } = await start(t)
  const small = await storing(20)
  const large = await storing(600)
  const middle = await storing(300)
  assert.ok(small.used < middle.used && middle.used < large.used)
  const guest = (await service.request('POST', '/api/auth/guest')).body.accessToken
  assert.equal((await upload(service, guest, await makePng(10))).status, 201)
  const { data, nextCursor } = await list('limit=100')
  const order = data.map(({ userId }) => userId).filter((id) => [small, middle, large].some((one) => one.userId === id))
  assert.deepEqual([order, nextCursor], [[large.userId, middle.userId, small.userId], null])
  const uses = data.map(({ used }) => used)
  assert.deepEqual(
    uses,
    uses.toSorted((a, b) => b - a),
  )
  const paged: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list(cursor === '' ? 'limit=1' : `limit=1&cursor=${cursor}`)
    paged.push(...page.data)
    cursor = page.nextCursor
  }
  assert.deepEqual(paged, data)
  assert.equal((await call('GET', '/storage/accounts?cursor=abc')).body.code, 'invalid_cursor')

  const { body } = await call('GET', `/storage/accounts/${large.userId}`)
  const { kind, email, used, quota, storageQuota } = body
  assert.deepEqual([kind, email, used, quota, storageQuota], ['account', large.email, large.used, 10 * MIB, null])
  const visitor = data.find((one) => one.kind === 'guest')
  assert.deepEqual([visitor?.email, visitor?.storageQuota], [null, 50 * MIB])
  const ofVisitor = await call('GET', `/storage/accounts/${visitor?.customerId}`)
  assert.deepEqual([ofVisitor.status, ofVisitor.body.used], [200, visitor?.used])
  const total = (await call('GET', '/storage')).body
  assert.deepEqual(total, { used: uses.reduce((sum, one) => sum + one, 0), defaultQuota: 10 * MIB })
})

test('the list has no deleted account that stores nothing', async (t) => {
  const { call, storing, list } = await start(t)
  const { accessToken, userId } = await storing(20)
  const isListed = async () => (await list('limit=100')).data.some((one) => one.userId === userId)
  assert.equal(await isListed(), true)
  assert.equal((await call('DELETE', '/me', undefined, accessToken)).status, 204)
  await until('the erasure', async () => !(await isListed()))
})

test('an account whose records were never counted is listed with what it stores', async (t) => {
  const { service, storing, list } = await start(t)
  const { userId, used } = await storing(100)
  await sql`update storage_usage set bytes = 0, reconciled_at = null where owner_id = ${userId}`.execute(service.db)
  const { data } = await list('limit=100')
  assert.equal(data.find((one) => one.userId === userId)?.used, used)
})

test('an administrator sets and removes the quota of an account, which uploads obey and the record states', async (t) => {
  const { admin, service, call, storing } = await start(t)
  const person = await storing(50)
  const path = `/storage/accounts/${person.userId}`
  const other = await makePng(60)
  const changed = await call('PATCH', path, { storageQuota: person.used })
  assert.deepEqual([changed.status, changed.body.quota, changed.body.storageQuota], [200, person.used, person.used])
  const refused = await upload(service, person.accessToken, other)
  assert.deepEqual([refused.status, refused.body.code], [413, 'storage_quota_exceeded'])
  assert.equal((await call('PATCH', path, { storageQuota: person.used })).status, 200)
  const back = await call('PATCH', path, { storageQuota: null })
  assert.deepEqual([back.body.quota, back.body.storageQuota], [10 * MIB, null])
  assert.equal((await upload(service, person.accessToken, other)).status, 201)
  const { body: events } = await call('GET', `/security-events?userId=${person.userId}&type=storage_quota_changed`)
  assert.deepEqual(
    events.data.map(({ actor, details }: { actor: string; details: object }) => [actor, details]),
    [
      [admin.userId, { quotaBefore: person.used, quota: null }],
      [admin.userId, { quotaBefore: null, quota: person.used }],
    ],
  )
})

test('only administrators see storage accounts, and only with a recent sign-in they set quotas', async (t) => {
  const { admin, service, call } = await start(t)
  const operator = (await service.signUp({ role: 'operator' })).accessToken
  const path = `/storage/accounts/${admin.userId}`
  for (const read of ['/storage', '/storage/accounts', path]) {
    assert.equal((await call('GET', read, undefined, operator)).status, 403, read)
    assert.equal((await service.request('GET', read)).status, 401, read)
  }
  assert.equal((await call('PATCH', path, { storageQuota: 1 }, operator)).status, 403)
  assert.equal((await call('GET', '/storage/accounts/usr_none')).body.code, 'user_not_found')
  assert.equal((await call('PATCH', path, { storageQuota: -1 })).status, 400)
  service.clock.shift(601)
  assert.equal((await call('PATCH', path, { storageQuota: 1 })).body.code, 'step_up_required')
})
