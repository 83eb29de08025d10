import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { sql } from 'kysely'
import {
  type FakeSecretScanning,
  newKey,
  type SigningKey,
  startSecretScanning,
} from '../../../test/fakes/secret-scanning.ts'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import { PreparingClient } from '../../platform/db/connections/preparing-client.ts'
import { newApiKey } from '../api-keys/key-format.ts'

const PATH = '/secret-scanning/alerts'

interface Scene {
  service: TestService
  github: FakeSecretScanning
  report(alerts: unknown, key?: SigningKey): Promise<TestResponse>
}

async function start(t: TestContext): Promise<Scene> {
  const github = await startSecretScanning(t)
  const service = await startService(t, { env: { PLATEN_SECRET_SCANNING_KEYS_URL: github.url } })
  const report = (alerts: unknown, key?: SigningKey): Promise<TestResponse> => {
    const body = JSON.stringify(alerts)
    return service.request('POST', PATH, { body, headers: github.headersFor(body, key) })
  }
  return { service, github, report }
}

function alert(token: string, extra: object = {}) {
  return { token, type: 'platen_api_key', url: 'https://github.com/evil/click-here', source: 'commit', ...extra }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

async function createKey(service: TestService, token: string, body: object = {}): Promise<{ id: string; key: string }> {
  const wanted = { name: 'Click https://evil.example now', permissions: ['read'], ...body }
  return (await service.request('POST', '/api/api-keys', { token, body: wanted })).body
}

const use = async (service: TestService, key: string): Promise<number> =>
  (await service.request('GET', '/designs', { token: key })).status

async function leakMails(service: TestService): Promise<{ to: string; subject: string; text: string }[]> {
  const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
  return body.filter((mail: { subject: string }) => mail.subject === 'One of your API keys was found in public')
}

const leakEvents = (service: TestService) =>
  service.db.selectFrom('security_events').selectAll().where('type', '=', 'api_key_leaked').execute()

test('AK-5, LG-1, LG-3: a key found in public is revoked, recorded and mailed once', async (t) => {
  const { service, report } = await start(t)
  const { accessToken: token, email, userId } = await service.signUp()
  const { key, id } = await createKey(service, token)
  const other = await createKey(service, token)
  assert.equal(await use(service, key), 200)
  const unknown = newApiKey()
  const answer = await report([alert(key), alert(key, { url: '' }), alert(unknown), alert('platen_no key of ours')])
  assert.equal(answer.status, 200)
  const type = 'platen_api_key'
  assert.deepEqual(answer.body, [
    { token_hash: sha256(key), token_type: type, label: 'true_positive' },
    { token_hash: sha256(unknown), token_type: type, label: 'false_positive' },
    { token_hash: sha256('platen_no key of ours'), token_type: type, label: 'false_positive' },
  ])
  assert.ok(!answer.text.includes(key))
  assert.deepEqual([await use(service, key), await use(service, other.key)], [401, 200])
  // GitHub may report the same key again.
  assert.deepEqual((await report([alert(key, { source: null })])).body[0].label, 'true_positive')
  const [event, ...moreEvents] = await leakEvents(service)
  assert.deepEqual(moreEvents, [])
  assert.deepEqual(event?.details, { key: id, source: 'commit' })
  assert.deepEqual([event?.user_id, event?.actor], [userId, 'system'])
  const [mail, ...moreMails] = await leakMails(service)
  assert.deepEqual(moreMails, [])
  assert.equal(mail?.to, email)
  assert.ok(mail?.text.includes(key.slice(0, 11)) && mail.text.includes(key.slice(-4)))
  assert.ok(!/evil|https:/.test(mail?.text ?? ''), 'nothing that somebody else wrote')
  // The owner was already notified, so revoking the key again sends no second mail.
  assert.equal((await service.request('DELETE', `/api/api-keys/${id}`, { token })).status, 404)
  const { body: mails } = await service.request('GET', `${service.origin}/dev/outbox`)
  assert.ok(!mails.some(({ subject }: { subject: string }) => subject === 'An API key was revoked'))
})

test('AK-6: a leaked secret revokes the key only while the secret works', async (t) => {
  const { service, report } = await start(t)
  const { accessToken: token } = await service.signUp()
  const rotate = async (id: string, overlapSeconds: number): Promise<string> =>
    (await service.request('POST', `/api/api-keys/${id}/rotate`, { token, body: { overlapSeconds } })).body.key
  const overlapping = await createKey(service, token)
  const successor = await rotate(overlapping.id, 300)
  const replaced = await createKey(service, token)
  const present = await rotate(replaced.id, 0)
  const answer = await report([alert(overlapping.key), alert(replaced.key)])
  assert.deepEqual(
    answer.body.map(({ label }: { label: string }) => label),
    ['true_positive', 'true_positive'],
  )
  assert.deepEqual([await use(service, successor), await use(service, overlapping.key)], [401, 401])
  assert.equal(await use(service, present), 200)
  assert.equal((await leakMails(service)).length, 1)
})

test('AK-5: a report during a rotation applies to the state after it', async (t) => {
  const { service, report } = await start(t)
  const { accessToken: token, userId } = await service.signUp()
  const { key, id } = await createKey(service, token)
  const reported = await service.db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${userId} for no key update`.execute(trx)
    const pending = report([alert(key)])
    await service.untilBlocked()
    await sql`update api_keys set previous_key_hash = key_hash, previous_expires_at = ${service.clock.now()},
      key_hash = 'new' where id = ${id}`.execute(trx)
    return { pending }
  })
  assert.equal((await reported.pending).status, 200)
  const row = await service.db.selectFrom('api_keys').select('revoked_at').where('id', '=', id).executeTakeFirst()
  assert.equal(row?.revoked_at, null)
  assert.deepEqual(await leakEvents(service), [])
})

test('AK-5: a body without a valid signature of GitHub revokes nothing', async (t) => {
  const { service, github, report } = await start(t)
  const { accessToken: token } = await service.signUp()
  const { key } = await createKey(service, token)
  const body = JSON.stringify([alert(key)])
  const good = github.headersFor(body)
  const send = (headers: Record<string, string>, text = body) => service.request('POST', PATH, { body: text, headers })
  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(good).filter(([one]) => one !== name))
  const forged: [Record<string, string>, string?][] = [
    [{ 'content-type': 'application/json' }],
    [without('Github-Public-Key-Identifier')],
    [without('Github-Public-Key-Signature')],
    [good, `${body} `],
    [good, body.replace('commit', 'gistss')],
    [good, ''],
    [{ ...good, 'Github-Public-Key-Signature': '' }],
    [{ ...good, 'Github-Public-Key-Signature': 'AAAA' }],
    [{ ...good, 'Github-Public-Key-Signature': '!' }],
    [{ ...good, 'Github-Public-Key-Identifier': '../x' }],
    [github.headersFor(body, newKey())],
    [github.headersFor(body, { ...newKey(), identifier: github.keys[0]?.identifier ?? '' })],
  ]
  for (const [headers, text] of forged) {
    const answer = await send(headers, text)
    assert.equal(answer.status, 401, JSON.stringify(headers))
    assert.equal(answer.body.code, 'invalid_signature')
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Signature /)
  }
  // The key has the wrong curve: GitHub signs with P-256.
  service.clock.shift(61)
  assert.equal((await report([alert(key)], github.addKey('secp256k1'))).status, 401)
  assert.equal(await use(service, key), 200)
  const upper = Object.fromEntries(Object.entries(good).map(([name, value]) => [name.toUpperCase(), value]))
  assert.equal((await send(upper)).status, 200)
  assert.equal(await use(service, key), 401)
})

test('HD-4: a signed body must still match its schema', async (t) => {
  const { service, report } = await start(t)
  for (const bad of [{}, 'x', [1], [{ type: 'x' }], [{ token: 7, type: 'x' }], [{ token: 'x' }], null]) {
    const answer = await report(bad)
    assert.equal(answer.status, 400, JSON.stringify(bad))
  }
  assert.deepEqual((await report([])).body, [])
  // GitHub may add members to alerts.
  assert.equal((await report([{ token: 'x', type: 'y', commit: 'abc' }])).status, 200)
  assert.equal((await report([alert('x'.repeat(1024 * 1024))])).status, 413)
  const plain = await service.request('POST', PATH, { body: '[]', headers: { 'content-type': 'text/plain' } })
  assert.equal(plain.status, 415)
})

test('AK-1: a thousand reported texts cost one query, and malformed keys none', async (t) => {
  const { service, report } = await start(t)
  const { accessToken: token } = await service.signUp()
  const { key } = await createKey(service, token)
  await report([])
  const query = t.mock.method(PreparingClient.prototype, 'query')
  const count = (): number =>
    query.mock.calls.filter((call) => JSON.stringify(call.arguments[0]).includes('key_hash')).length
  const noise = Array.from({ length: 1000 }, (_, n) => alert(`platen_${String(n).padStart(38, '0')}`))
  assert.equal((await report(noise)).body.length, 1000)
  assert.equal(count(), 0)
  const formed = Array.from({ length: 999 }, () => alert(newApiKey()))
  const answer = await report([...formed, alert(key)])
  const labels = answer.body.map(({ label }: { label: string }) => label)
  assert.deepEqual([labels.length, labels.filter((label: string) => label === 'true_positive').length], [1000, 1])
  // One query finds the keys, and one revokes the key.
  assert.equal(count(), 2)
  assert.equal(await use(service, key), 401)
})

test('the keys of GitHub are cached for an hour; an unknown name refreshes them once a minute', async (t) => {
  const { service, github, report } = await start(t)
  await Promise.all([report([]), report([])])
  for (let times = 0; times < 3; times += 1) assert.equal((await report([])).status, 200)
  assert.deepEqual(github.requests, [undefined])
  const added = github.addKey()
  // Alerts with unknown key names must not each cause a request to GitHub.
  for (let times = 0; times < 5; times += 1) assert.equal((await report([], newKey())).status, 401)
  assert.equal((await report([], added)).status, 401)
  assert.equal(github.requests.length, 1)
  service.clock.shift(61)
  assert.equal((await report([], added)).status, 200)
  assert.deepEqual(github.requests, [undefined, '"1"'])
  service.clock.shift(3601)
  assert.equal((await report([], added)).status, 200)
  assert.deepEqual(github.requests, [undefined, '"1"', '"2"'], 'read again after an hour, and unchanged')
})

test('during an outage of GitHub, cached keys work, and reports with unknown keys get 503', async (t) => {
  const { service, github, report } = await start(t)
  const [known] = github.keys
  const elsewhere = await startSecretScanning(t)
  assert.equal((await report([])).status, 200)
  const failures: FakeSecretScanning['answer'][] = [
    (response) => void response.writeHead(500).end(),
    (response) => void response.writeHead(302, { Location: elsewhere.url }).end(),
    (response) => void response.end('not JSON'),
    (response) => void response.end('{"public_keys":"none"}'),
    (response) => void response.end(JSON.stringify({ public_keys: [], filling: 'x'.repeat(70_000) })),
    (response) => void response.destroy(),
  ]
  for (const answer of failures) {
    github.answer = answer
    service.clock.shift(61)
    const refused = await report([], elsewhere.keys[0])
    assert.equal(refused.status, 503)
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await report([], known)).status, 200)
  }
  service.clock.shift(24 * 3600)
  assert.equal((await report([], known)).status, 503, 'too old to be believed')
  github.answer = undefined
  service.clock.shift(61)
  assert.equal((await report([], known)).status, 200)
})
