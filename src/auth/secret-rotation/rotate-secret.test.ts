import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import type { Received } from '../../../test/fakes/webhook-receiver.ts'
import { createDatabase, startService, type TestService, temporaryDir } from '../../../test/harness.ts'
import { alignToStep, enableTotp, signInWithApp } from '../../../test/lib/second-factor.ts'
import { until } from '../../../test/lib/until.ts'
import { databaseUrl, platen } from '../../commands/platen.fixture.ts'
import { ENCRYPTED_COLUMNS } from '../../features.ts'
import { startWebhookScene } from '../../webhooks/factory.ts'
import { checkRecord } from '../audit/chain/check-record.ts'
import { loadSigningKey } from '../keys/key-material.ts'
import { createKeyring } from '../keys/keyring.ts'
import { listSigningKeys } from '../keys/store.ts'
import { countForeign } from './encrypted-columns.ts'
import type { RotationStep } from './rotate-secret.ts'

const STEPS: RotationStep[] = [
  'secret_created',
  'secret_published',
  'secret_in_use',
  'values_encrypted',
  'secret_replaced',
]

const FIXTURE = join(import.meta.dirname, 'rotation.fixture.ts')

async function rotateInProcess(settings: Record<string, string>, killAt?: RotationStep): Promise<string> {
  const env = { PATH: process.env['PATH'], ...settings, ...(killAt && { PLATEN_TEST_KILL_AT: killAt }) }
  const child = spawn(process.execPath, [FIXTURE], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [out, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.deepEqual([code, signal], killAt === undefined ? [0, null] : [null, 'SIGKILL'])
  return out
}

const secretIn = async (dataDir: string): Promise<Buffer> =>
  Buffer.from((await readFile(join(dataDir, 'secret.key'), 'utf8')).trim(), 'base64url')

/** Counts the encrypted values, and those of them that a secret decrypts. */
async function countDecrypted(service: TestService, secret: Buffer): Promise<[decrypted: number, all: number]> {
  const { db, clock, config } = service
  let [decrypted, all] = [0, 0]
  for (const column of ENCRYPTED_COLUMNS) {
    const { rows } = await sql<{ count: number }>`
      select count(${sql.ref(column.column)}) as count from ${sql.table(column.table)}`.execute(db)
    const count = rows[0]?.count ?? 0
    all += count
    decrypted += count - (await countForeign(db, column, createKeyring(secret, [secret])))
  }
  for (const row of await listSigningKeys(db, clock.now())) {
    if (row.privateKeyEncrypted === null) continue
    all += 1
    await loadSigningKey(row, [secret], config).then(
      () => (decrypted += 1),
      () => undefined,
    )
  }
  return [decrypted, all]
}

/** Fails if a webhook is not signed with a secret. Its time is that of the service, which these tests shift far ahead. */
function requireSigned({ headers, body }: Received, secret: string): void {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  const signature = new Webhook(secret).sign(String(headers['webhook-id']), at, body)
  assert.ok(String(headers['webhook-signature']).split(' ').includes(signature))
}

async function startScene(t: TestContext, env: Record<string, string> = {}) {
  const database = await createDatabase(t)
  const scene = await startWebhookScene(t, { database, env })
  const { service, receiver, write } = scene
  const person = await service.signUp()
  const app = await enableTotp(service, person)
  const owner = await scene.signUp()
  const endpoint = await scene.addEndpoint(owner.token)
  const rotated = await service.request('POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`, {
    token: owner.token,
    body: { overlapSeconds: 100_000 },
  })
  const settings = { PLATEN_DATABASE_URL: databaseUrl(database), PLATEN_DATA_DIR: service.config.dataDir, ...env }
  /** Fails if a customer, a webhook receiver or an auditor would notice the rotation. */
  const requireWorking = async (when: string): Promise<void> => {
    const signedIn = await signInWithApp(service, person, app)
    assert.equal(signedIn.body.status, 'authenticated', `${when}: ${signedIn.text}`)
    alignToStep(service.clock)
    const { status } = await service.request('GET', '/webhook-endpoints', { token: owner.token })
    assert.equal(status, 200, when)
    const before = receiver.received.length
    await write({ ownerId: owner.userId })
    await until('the webhook', () => receiver.received.length > before)
    const sent = receiver.received.at(-1)
    assert.ok(sent, when)
    // Both the secret and the one before sign.
    for (const secret of [endpoint.secret, rotated.body.secret]) requireSigned(sent, secret)
    const verdict = await checkRecord({ db: service.db, clock: service.clock, secretFrom: service.config }, undefined)
    assert.ok(verdict.isSound, `${when}: ${verdict.isSound ? '' : verdict.message}`)
  }
  return { ...scene, database, person, app, settings, requireWorking }
}

test('a rotation that is killed after any step loses nothing, and the next one completes it', async (t) => {
  const { service, database, settings, requireWorking, person, app } = await startScene(t)
  const { dataDir } = service.config
  const earlier = await secretIn(dataDir)
  const { accessToken: token } = person
  await requireWorking('before')
  for (const step of STEPS.slice(0, -1)) {
    await rotateInProcess(settings, step)
    await requireWorking(`killed after ${step}`)
    assert.deepEqual(await secretIn(dataDir), earlier, step)
    // A process that starts now reads both secrets.
    const started = await startService(t, { database, dataDir, clock: service.clock })
    assert.equal((await signInWithApp(started, person, app)).status, 200, step)
    alignToStep(service.clock)
    await started.close()
  }
  // Everything is encrypted with the new secret now, so a backup needs only that one.
  const backup = await platen(['backup', await temporaryDir(t), '--without-secret'], settings)
  assert.equal(backup.code, 0, backup.err)

  await rotateInProcess(settings, 'secret_replaced')
  await requireWorking('after')
  const profile = await service.request('GET', '/me', { token })
  assert.equal(profile.status, 200, 'the access token from before is still valid')
  const next = await secretIn(dataDir)
  assert.ok(!(await readdir(dataDir)).includes('secret.key.next'))
  const [, all] = await countDecrypted(service, next)
  assert.deepEqual(await countDecrypted(service, next), [all, all])
  assert.deepEqual(await countDecrypted(service, earlier), [0, all])
  assert.ok(all >= 7, String(all))

  await writeFile(join(dataDir, 'secret.key'), earlier.toString('base64url'))
  await assert.rejects(startService(t, { database, dataDir }), /secret\.key is not the secret of this database/)
})

test('a backup is refused while values of both secrets are in the database', async (t) => {
  const { service, settings, requireWorking } = await startScene(t)
  await rotateInProcess(settings, 'secret_in_use')
  const backup = await platen(['backup', await temporaryDir(t), '--without-secret'], settings)
  assert.equal(backup.code, 1)
  assert.match(
    backup.err,
    /No backup was made, because the secret of the service is being rotated.*platen secret rotate/,
  )
  await service.db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock_shared(7305421)`.execute(trx)
    assert.equal(JSON.parse(await rotateInProcess(settings)).status, 'busy')
  })
  const rotated = await platen(['secret', 'rotate'], settings)
  assert.equal(rotated.code, 0, rotated.err)
  assert.match(rotated.out, /3 values besides the signing keys\.\nThe new secret is secret\.key in /)
  await requireWorking('after')
  const again = await platen(['secret', 'rotate'], settings)
  assert.equal(again.code, 0, again.err)
  await requireWorking('after a second rotation')
})

test('nodes with the secret in their settings accept both secrets, and change together', async (t) => {
  const earlier = Buffer.alloc(32, 1).toString('base64')
  const next = Buffer.alloc(32, 2).toString('base64')
  const both = { PLATEN_SECRET_KEY: next, PLATEN_SECRET_KEY_PREVIOUS: earlier }
  const first = await startScene(t, { PLATEN_SECRET_KEY: earlier })
  const { service, database, settings, person, app } = first
  const unchanged = await platen(['secret', 'rotate'], settings)
  assert.equal(unchanged.code, 1)
  assert.match(unchanged.err, /set PLATEN_SECRET_KEY to a new secret .* PLATEN_SECRET_KEY_PREVIOUS to the present one/)

  const second = await startService(t, { database, clock: service.clock, env: both })
  // Until the rotation, it encrypts with the earlier secret, because the first node knows only that one.
  const other = await second.signUp()
  const otherApp = await enableTotp(second, other)
  assert.equal((await signInWithApp(service, other, otherApp)).status, 200)
  await service.close()
  const third = await startService(t, { database, clock: service.clock, env: both })

  await rotateInProcess({ ...settings, ...both })
  for (const node of [second, third]) {
    alignToStep(service.clock)
    assert.equal((await signInWithApp(node, person, app)).status, 200)
  }
  const last = await startService(t, { database, clock: service.clock, env: { PLATEN_SECRET_KEY: next } })
  alignToStep(service.clock)
  assert.equal((await signInWithApp(last, other, otherApp)).status, 200)
  const [, all] = await countDecrypted(last, Buffer.alloc(32, 2))
  assert.deepEqual(await countDecrypted(last, Buffer.alloc(32, 1)), [0, all])
})

test('every column with encrypted values takes part in the rotation', async (t) => {
  const service = await startService(t)
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and (column_name like '%sealed%' or column_name like '%encrypted%')
    `.execute(service.db)
  // The first two are rotated in one transaction with the signing keys. A refresh token decrypts its successor.
  const others = [
    'signing_keys.private_key_encrypted',
    'security_event_keys.earlier_key_encrypted',
    'refresh_tokens.successor_sealed',
  ]
  const named = ENCRYPTED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), [...named, ...others].toSorted())
})
