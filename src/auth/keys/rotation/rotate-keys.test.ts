import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { decodeProtectedHeader, SignJWT } from 'jose'
import { sql } from 'kysely'
import { createDatabase, startService, type TestService } from '../../../../test/harness.ts'
import { until } from '../../../../test/lib/until.ts'
import { AUTH_LOCKS } from '../../locks.ts'
import { verifyStatement } from '../statements.ts'
import { KEY_PURPOSES } from '../store.ts'
import { type RotationRequest, rotateSigningKeys } from './rotate-keys.ts'

const TYP = 'platen-receipt+jwt'

async function startTwo(t: TestContext): Promise<[TestService, TestService]> {
  const database = await createDatabase(t)
  const first = await startService(t, { database })
  const second = await startService(t, { database, dataDir: first.config.dataDir, clock: first.clock })
  return [first, second]
}

function rotate(service: TestService, request: Partial<RotationRequest> = {}) {
  const deps = { db: service.db, clock: service.clock, secretFrom: service.config }
  return rotateSigningKeys(deps, { purposes: KEY_PURPOSES, isForced: false, revoke: false, ...request })
}

async function published(service: TestService): Promise<string[]> {
  const { body } = await service.request('GET', `${service.origin}/.well-known/jwks.json`)
  return body.keys.map((key: { kid: string }) => key.kid)
}

async function status(service: TestService, token: string): Promise<number> {
  return (await service.request('GET', '/me', { token })).status
}

async function signIn(service: TestService, { email, password }: { email: string; password: string }): Promise<string> {
  return (await service.request('POST', '/api/auth/login', { body: { email, password } })).body.accessToken
}

const kidOf = (token: string): string => decodeProtectedHeader(token).kid ?? ''

const untilPublished = (service: TestService, kid: string): Promise<void> =>
  until(`the publication of ${kid}`, async () => (await published(service)).includes(kid))

/** Rotates keys and returns the rotated key for access tokens. */
async function rotated(service: TestService, request: Partial<RotationRequest> = {}) {
  const rotation = await rotate(service, request)
  assert.ok(rotation.status === 'rotated')
  const key = rotation.keys.find(({ purpose }) => purpose === 'access_token')
  assert.ok(key !== undefined)
  return key
}

test('TK-7: every node publishes a key before it signs, and drops a retired key after its last token expires', async (t) => {
  const [first, second] = await startTwo(t)
  const person = await first.signUp()
  const before = await published(second)
  assert.equal(before.length, 4)
  // The rotation is too early, because a client may still cache a key set without the next key.
  const refused = await rotate(first)
  assert.equal(refused.status, 'too_early')
  assert.deepEqual(await published(first), before)
  first.clock.shift(361)
  const old = await signIn(first, person)
  const { retired, current, next } = await rotated(first)
  assert.equal(kidOf(old), retired)
  for (const kid of [retired, current]) assert.ok(before.includes(kid), 'it was published before it signed')
  assert.ok(!before.includes(next))
  for (const service of [first, second]) {
    await untilPublished(service, next)
    assert.equal(kidOf(await signIn(service, person)), current)
    assert.equal(await status(service, old), 200)
  }
  first.clock.shift(890)
  assert.equal(await status(second, old), 200)
  assert.ok((await published(second)).includes(retired))
  first.clock.shift(80)
  assert.equal(await status(second, old), 401)
  assert.ok(!(await published(second)).includes(retired))
  assert.ok((await published(second)).includes(current))
})

test('TK-7: a token of a removed key is rejected even if it has not expired', async (t) => {
  const service = await startService(t)
  const { accessToken } = await service.signUp()
  const { privateKey, kid } = service.services.auth.services.keys.current('access_token')
  const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
  const lasting = await new SignJWT({ ...claims, exp: claims.exp + 86_400 })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid })
    .sign(privateKey)
  assert.equal(await status(service, lasting), 200)
  const { next } = await rotated(service, { isForced: true })
  await untilPublished(service, next)
  service.clock.shift(900)
  assert.equal(await status(service, lasting), 200)
  service.clock.shift(61)
  assert.equal(await status(service, lasting), 401)
})

test('TK-7: the private half of a retired key is destroyed, and receipts stay verifiable', async (t) => {
  const service = await startService(t)
  const { keys } = service.services.auth.services
  const receipt = await service.services.auth.signStatement({ designId: 'dsn_1' }, { typ: TYP })
  for (let times = 0; times < 2; times += 1) {
    const { next } = await rotated(service, { isForced: true })
    await untilPublished(service, next)
    service.clock.shift(86_400)
  }
  const rows = await service.db.selectFrom('signing_keys').selectAll().execute()
  assert.equal(rows.filter(({ state }) => state === 'retired').length, 4)
  for (const { state, private_key_encrypted } of rows) assert.equal(private_key_encrypted === null, state === 'retired')
  assert.deepEqual(await verifyStatement(receipt, keys.jwks(), { typ: TYP }), { designId: 'dsn_1' })
  // The retired keys of access tokens are no longer published.
  assert.equal(keys.jwks().keys.length, 2 + 4)
})

test('TK-7: every node rejects a revoked key and its tokens within a second', async (t) => {
  const [first, second] = await startTwo(t)
  const person = await first.signUp()
  const receipt = await first.services.auth.signStatement({ designId: 'dsn_1' }, { typ: TYP })
  const retiredBefore = person.accessToken
  const { retired, next: nextBefore } = await rotated(first, { isForced: true })
  await untilPublished(second, nextBefore)
  const old = await signIn(second, person)
  for (const service of [first, second])
    for (const token of [old, retiredBefore]) assert.equal(await status(service, token), 200)
  const { revoked, current } = await rotated(first, { purposes: ['access_token'], revoke: true })
  assert.deepEqual(new Set(revoked), new Set([retired, kidOf(old), nextBefore]))
  await delay(1000)
  for (const service of [first, second]) {
    for (const token of [old, retiredBefore]) assert.equal(await status(service, token), 401)
    const now = await published(service)
    assert.ok(revoked.every((kid) => !now.includes(kid)))
    // The session stays valid: its refresh token gives a new access token.
    assert.equal(kidOf(await signIn(service, person)), current)
  }
  await verifyStatement(receipt, first.services.auth.services.keys.jwks(), { typ: TYP })
  await rotated(first, { revoke: true })
  assert.equal(
    (await first.db.selectFrom('signing_keys').where('revoked_at', 'is not', null).selectAll().execute()).length,
    7,
  )
})

test('TK-7: of two concurrent rotations one succeeds', async (t) => {
  const service = await startService(t)
  service.clock.shift(361)
  const outcomes = await service.db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${AUTH_LOCKS.signingKeys})`.execute(trx)
    const both = [rotate(service), rotate(service)]
    await service.untilBlocked(2)
    return both
  })
  assert.deepEqual((await Promise.all(outcomes)).map((one) => one.status).sort(), ['rotated', 'too_early'])
  const states = await service.db.selectFrom('signing_keys').select(['purpose', 'state']).execute()
  assert.equal(states.length, 6)
})

test('TK-7: a node that receives no notifications still follows a rotation', async (t) => {
  const [first, second] = await startTwo(t)
  const person = await first.signUp()
  let rows: { pid: number }[] = []
  await until('both nodes listen', async () => {
    rows = (
      await sql<{ pid: number }>`select pid from pg_stat_activity
        where datname = current_database() and query = 'select 1'`.execute(first.db)
    ).rows
    return rows.length === 2
  })
  // A stopped backend keeps its connection open, but delivers no notifications.
  for (const { pid } of rows) process.kill(pid, 'SIGSTOP')
  try {
    await delay(1000)
    assert.equal(await status(second, person.accessToken), 200)
    const { current, next } = await rotated(first, { purposes: ['access_token'], isForced: true })
    await delay(1000)
    assert.equal(kidOf(await signIn(second, person)), current)
    assert.ok((await published(second)).includes(next))
    await rotated(first, { purposes: ['access_token'], revoke: true })
    await delay(1000)
    assert.equal(await status(second, person.accessToken), 401)
  } finally {
    for (const { pid } of rows) process.kill(pid, 'SIGCONT')
  }
})

test('TK-7: a node learns of a rotation that happened while it was disconnected', async (t) => {
  const [first, second] = await startTwo(t)
  const [known = ''] = await published(second)
  const revocations = second.services.auth.services.revocations
  const times = revocations.subscriptionCount()
  // The keys change without a notification, and then the listening connections are terminated.
  await sql`update signing_keys set kid = 'renamed', private_key_encrypted = null, state = 'retired'
    where kid = ${known}`.execute(first.db)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid != pg_backend_pid() and query = 'select 1'`.execute(first.db)
  await until('the next subscription', () => revocations.subscriptionCount() > times && revocations.isTrusted())
  assert.ok(second.services.auth.services.keys.jwks().keys.some(({ kid }) => kid === 'renamed'))
})

test('TK-3, TK-7: an unknown key name makes a node read the keys at most once a second', async (t) => {
  const service = await startService(t)
  const person = await service.signUp()
  const { keys, revocations } = service.services.auth.services
  const { next } = await rotated(service, { isForced: true })
  await untilPublished(service, next)
  // On a busy computer, the subscription times out for a moment. The node would then read the keys for any request.
  t.mock.method(revocations, 'isTrusted', () => true)
  // The keys change without a notification.
  await sql`update signing_keys set revoked_at = now(), state = 'retired', private_key_encrypted = null
    where purpose = 'access_token' and state = 'retired'`.execute(service.db)
  assert.equal(await status(service, person.accessToken), 200)
  const { privateKey } = keys.current('access_token')
  const forge = (kid: string) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid })
      // An expired token is refused without a look at its key.
      .setExpirationTime(new Date(service.clock.now().getTime() + 60_000))
      .sign(privateKey)
  assert.equal(await status(service, await forge('not a name of ours')), 401)
  assert.equal(await status(service, person.accessToken), 200)
  const query = t.mock.method(service.services.database.pool, 'connect')
  const begin = performance.now()
  for (let n = 0; n < 50; n += 1) assert.equal(await status(service, await forge(String(n).padEnd(43, 'x'))), 401)
  const most = 2 + (performance.now() - begin) / 1000
  assert.ok(query.mock.callCount() >= 1 && query.mock.callCount() <= most, `${query.mock.callCount()} queries`)
  assert.equal(await status(service, person.accessToken), 401)
})

test('TK-7: signing a statement needs no connection, even while keys are due to be read again', async (t) => {
  const service = await startService(t, { env: { PLATEN_DATABASE_POOL: '8' } })
  const { keys } = service.services.auth.services
  const { pool } = service.services.database
  const held = await Promise.all(Array.from({ length: 8 }, () => pool.connect()))
  try {
    assert.deepEqual([pool.totalCount, pool.idleCount, pool.options.max], [8, 0, 8])
    const { next } = await rotated(service, { isForced: true })
    await until('the keys are due to be read', () => !keys.isFresh())
    const statement = await service.services.auth.signStatement({ designId: 'dsn_1' }, { typ: TYP })
    assert.equal(keys.isFresh(), false, 'it was signed before anything could be read')
    for (const client of held.splice(0)) client.release()
    await untilPublished(service, next)
    assert.deepEqual(await verifyStatement(statement, keys.jwks(), { typ: TYP }), { designId: 'dsn_1' })
  } finally {
    for (const client of held) client.release()
  }
})

test('LG-1: a rotation of the signing keys is recorded', async (t) => {
  const service = await startService(t)
  const { retired, current } = await rotated(service, { isForced: true })
  const events = await service.db
    .selectFrom('security_events')
    .selectAll()
    .where('type', '=', 'signing_keys_rotated')
    .execute()
  assert.equal(events.length, 2)
  const event = events.find(({ details }) => (details as { purpose: string }).purpose === 'access_token')
  assert.deepEqual(event?.details, { purpose: 'access_token', retired, current, revoked: 0 })
  assert.deepEqual([event?.actor, event?.user_id, event?.result], ['operator', null, 'success'])
})
