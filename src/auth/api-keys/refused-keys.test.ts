import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { PreparingClient } from '../../platform/db/connections/preparing-client.ts'
import { newApiKey } from './key-format.ts'

async function createKey(service: TestService, token: string): Promise<{ id: string; key: string }> {
  const answer = await service.request('POST', '/api/api-keys', { token, body: { name: 'ci', permissions: ['read'] } })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

const use = async (service: TestService, token: string): Promise<number> =>
  (await service.request('GET', '/designs', { token })).status

function countLookUps(t: TestContext): () => number {
  const query = t.mock.method(PreparingClient.prototype, 'query')
  let before = 0
  return () => {
    const all = query.mock.calls.filter((call) => JSON.stringify(call.arguments[0]).includes('key_by_secret')).length
    const since = all - before
    before = all
    return since
  }
}

test('AK-1, AK-5: a revoked or unknown key is looked up once in half a minute', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const { id, key } = await createKey(service, token)
  assert.equal(await use(service, key), 200)
  await service.request('DELETE', `/api/api-keys/${id}`, { token })
  const lookUps = countLookUps(t)
  for (const refused of [key, newApiKey()]) {
    for (const seconds of [0, 31]) {
      service.clock.shift(seconds)
      for (let n = 0; n < 5; n += 1) assert.equal(await use(service, refused), 401)
      assert.equal(lookUps(), 1)
    }
  }
  assert.equal(await use(service, (await createKey(service, token)).key), 200)
})

test('AK-4: a key works again as soon as its disabled owner is enabled', async (t) => {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const { accessToken, userId } = await service.signUp()
  const { key } = await createKey(service, accessToken)
  const disable = (disabled: boolean) =>
    service.request('PATCH', `/users/${userId}`, { token: admin.accessToken, body: { disabled } })
  for (const [disabled, status] of [
    [true, 401],
    [false, 200],
  ] as const) {
    assert.equal((await disable(disabled)).status, 200)
    assert.equal(await use(service, key), status)
  }
})

test('AK-7: invented keys cost no query once their IP gets 429, and block no other caller', async (t) => {
  const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_RATE_LIMIT_ANONYMOUS: '10', PLATEN_TRUSTED_PROXIES: 'loopback' }
  const service = await startService(t, { env })
  const { accessToken: token } = await service.signUp()
  const [known, unused, other] = [1, 2, 3].map(() => createKey(service, token))
  const from = (ip: string, credential?: string): Promise<TestResponse> => {
    const headers = { 'x-forwarded-for': ip }
    return service.request('GET', '/designs', credential === undefined ? { headers } : { headers, token: credential })
  }
  const statusFrom = async (ip: string, key: Promise<{ key: string }> | undefined): Promise<number> =>
    (await from(ip, (await key)?.key)).status
  assert.equal(await statusFrom('192.0.2.1', known), 200)

  const lookUps = countLookUps(t)
  for (let n = 0; n < 10; n += 1) assert.equal((await from('192.0.2.1', newApiKey())).status, 401)
  assert.equal(lookUps(), 10)
  const refused = await from('192.0.2.1', newApiKey())
  assert.equal(lookUps(), 0)
  // A request without a credential, beyond the limit.
  const plain = await from('192.0.2.1')
  const shown = ({ status, body, headers }: TestResponse) => {
    const { requestId: _, instance: __, ...rest } = body
    const limits = [headers.get('ratelimit'), headers.get('ratelimit-policy')]
    return { status, rest, names: [...headers.keys()], limits: limits.map((text) => text?.replace(/t=\d+/, '')) }
  }
  assert.equal(plain.status, 429)
  assert.deepEqual(shown(refused), shown(plain))
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)

  assert.equal(await statusFrom('192.0.2.1', known), 200)
  assert.equal(await statusFrom('192.0.2.2', unused), 200)
  // Anonymous requests without a key do not count against the valid keys that use the same IP address.
  for (let n = 0; n < 11; n += 1) await from('192.0.2.3')
  assert.equal(await statusFrom('192.0.2.3', undefined), 429)
  assert.equal(await statusFrom('192.0.2.3', other), 200)
})

test('invented tokens are not verified once their IP gets 429, expired ones do not count, and known ones work', async (t) => {
  const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_RATE_LIMIT_ANONYMOUS: '10', PLATEN_TRUSTED_PROXIES: 'loopback' }
  const service = await startService(t, { env })
  const { accessToken: token } = await service.signUp()
  const { services } = service.services.auth
  const verify = t.mock.method(services.tokens, 'read')
  const from = (ip: string, credential: string) =>
    service.request('GET', '/designs', { headers: { 'x-forwarded-for': ip }, token: credential })
  assert.equal((await from('192.0.2.1', token)).status, 200)
  const [head = '', payload = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const expired = Buffer.from(JSON.stringify({ ...claims, exp: 1 })).toString('base64url')
  verify.mock.resetCalls()
  for (let n = 0; n < 8; n += 1) assert.equal((await from('192.0.2.2', `${head}.${expired}.${signature}`)).status, 401)
  assert.equal(verify.mock.callCount(), 0)
  const invented = (n: number) =>
    `${head}.${payload}.${signature.slice(0, -4)}${'AAAA'.slice(n % 4)}${'BBBB'.slice(0, n % 4)}`
  const statuses = []
  for (let n = 0; n < 12; n += 1) statuses.push((await from('192.0.2.1', `${invented(n)}`)).status)
  assert.deepEqual(
    statuses.slice(0, 9),
    Array.from({ length: 9 }, () => 401),
  )
  assert.deepEqual([statuses.at(-1), verify.mock.callCount()], [429, 10])
  assert.equal((await from('192.0.2.1', token)).status, 200)
  assert.equal((await from('192.0.2.3', token)).status, 200)
})

test('few tokens of an IP address are verified at a time, few wait, and equal ones are verified once', async (t) => {
  const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_RATE_LIMIT_ANONYMOUS: '1000', PLATEN_REQUESTS_IN_FLIGHT: '200' }
  const service = await startService(t, { env })
  const { accessToken: token } = await service.signUp()
  const { services } = service.services.auth
  const gate = Promise.withResolvers<void>()
  const verify = t.mock.method(services.tokens, 'read', async () => {
    await gate.promise
    return undefined
  })
  const from = (credential: string) => service.request('GET', '/designs', { token: credential })
  const same = Array.from({ length: 10 }, () => from(token))
  const invented = Array.from({ length: 80 }, (_, n) => from(`${token.slice(0, -4)}${String(n).padStart(4, 'A')}`))
  // The others wait for the gate.
  const refused: TestResponse[] = []
  for (const one of invented) void one.then((answer) => answer.status === 429 && refused.push(answer))
  await until('the refusals', () => refused.length >= 13)
  assert.deepEqual([verify.mock.callCount(), refused.length], [4, 13])
  gate.resolve()
  const statuses = await Promise.all([...same, ...invented].map(async (one) => (await one).status))
  assert.equal(statuses.filter((status) => status === 401).length, 77)
  assert.equal(verify.mock.callCount(), 68)
})

test('LG-1, AK-5: use of a revoked key is recorded once an hour over all nodes', async (t) => {
  const database = await createDatabase(t)
  const first = await startService(t, { database })
  const second = await startService(t, { database, dataDir: first.config.dataDir, clock: first.clock })
  const { accessToken: token } = await first.signUp()
  const { id, key } = await createKey(first, token)
  await first.request('DELETE', `/api/api-keys/${id}`, { token })
  for (const hours of [1, 2]) {
    await first.db.transaction().execute(async (trx) => {
      await sql`select from api_keys where id = ${id} for update`.execute(trx)
      for (const node of [first, second]) assert.equal(await use(node, key), 401)
      await first.untilBlocked(2)
    })
    const count = async (): Promise<number> => {
      const { rows } = await sql`select from security_events where type = 'api_key_used_after_end'`.execute(first.db)
      return rows.length
    }
    await until('the record', async () => (await count()) >= hours)
    // The lock waits until both nodes have released the row.
    await sql`select from api_keys where id = ${id} for update`.execute(first.db)
    assert.equal(await count(), hours)
    first.clock.shift(3601)
  }
})
