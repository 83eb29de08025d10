import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { createDatabase } from '../../../test/harness.ts'
import { systemClock } from '../../platform/clock.ts'
import { openDatabase } from '../../platform/db/index.ts'
import { createLog } from '../../platform/telemetry/log.ts'
import { writeSecret } from './secret-file.ts'
import { openSigningKeys, type SigningKeysDeps } from './signing-keys.ts'
import { signStatement, verifyStatement } from './statements.ts'

async function prepare(t: TestContext): Promise<SigningKeysDeps> {
  const database = openDatabase(await createDatabase(t), createLog({ level: 'silent' }))
  t.after(() => database.close())
  return { db: database.db, clock: systemClock, accessSeconds: 900, revocations: undefined }
}

async function dataDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-keys-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

test('keys are created once, and every node with the same secret uses them', async (t) => {
  const deps = await prepare(t)
  const dir = await dataDir(t)
  const [first, second] = await Promise.all([
    openSigningKeys(deps, { dataDir: dir }),
    openSigningKeys(deps, { dataDir: dir }),
  ])
  assert.deepEqual(first.jwks(), second.jwks())
  assert.equal(
    (await openSigningKeys(deps, { dataDir: dir })).current('access_token').kid,
    first.current('access_token').kid,
  )
  assert.equal(first.jwks().keys.length, 4)
})

test('the start creates a next key that an earlier version did not', async (t) => {
  const deps = await prepare(t)
  const dir = await dataDir(t)
  const { kid } = (await openSigningKeys(deps, { dataDir: dir })).current('statement')
  await deps.db.deleteFrom('signing_keys').where('purpose', '=', 'statement').where('state', '=', 'next').execute()
  const after = await openSigningKeys(deps, { dataDir: dir })
  assert.equal(after.jwks().keys.length, 4)
  assert.equal(after.current('statement').kid, kid)
})

test('the database holds encrypted private keys only, and only the owner can read the secret', async (t) => {
  const deps = await prepare(t)
  const dir = await dataDir(t)
  await openSigningKeys(deps, { dataDir: dir })
  const path = join(dir, 'secret.key')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  const rows = await deps.db.selectFrom('signing_keys').selectAll().execute()
  for (const row of rows) {
    assert.deepEqual(Object.keys(row.public_jwk as object).sort(), ['crv', 'kty', 'x'])
    // A nonce of 12 bytes, a tag of 16 and a key of 32. Each row has another ciphertext.
    assert.equal(row.private_key_encrypted?.length, 12 + 16 + 32)
  }
  assert.equal(new Set(rows.map((row) => row.private_key_encrypted?.toString('hex'))).size, 4)
})

test('without the right secret the service does not start, and replaces nothing', async (t) => {
  const deps = await prepare(t)
  const dir = await dataDir(t)
  const { kid } = (await openSigningKeys(deps, { dataDir: dir })).current('access_token')
  const path = join(dir, 'secret.key')
  const right = await readFile(path)
  await rm(path)
  await assert.rejects(
    openSigningKeys(deps, { dataDir: dir }),
    /^SecretError: \/.*secret\.key is missing, and the database is encrypted with it\. Set PLATEN_SECRET_KEY .*"platen restore"/,
  )
  await writeFile(path, `${'A'.repeat(43)}\n`)
  await assert.rejects(
    openSigningKeys(deps, { dataDir: dir }),
    /^SecretError: \/.*secret\.key is not the secret of this database\. Copy the file/,
  )
  await writeFile(path, 'rubbish')
  await assert.rejects(openSigningKeys(deps, { dataDir: dir }), /is damaged/)
  await writeFile(path, right)
  assert.equal((await openSigningKeys(deps, { dataDir: dir })).current('access_token').kid, kid)
})

test('public keys suffice to verify a statement, and a statement of another type is rejected', async (t) => {
  const deps = await prepare(t)
  const keys = await openSigningKeys(deps, { dataDir: await dataDir(t) })
  const statement = await signStatement(keys, { designId: 'dsn_1' }, { typ: 'platen-receipt+jwt' })
  const jwks = JSON.parse(JSON.stringify(keys.jwks()))
  assert.deepEqual(await verifyStatement(statement, jwks, { typ: 'platen-receipt+jwt' }), { designId: 'dsn_1' })
  await assert.rejects(verifyStatement(statement, jwks, { typ: 'other+jwt' }))
  const [header, , signature] = statement.split('.')
  const changed = Buffer.from('{"designId":"dsn_2"}').toString('base64url')
  await assert.rejects(verifyStatement(`${header}.${changed}.${signature}`, jwks, { typ: 'platen-receipt+jwt' }))
})

test('a secret from the settings needs no file, and nodes without a common folder share the keys', async (t) => {
  const deps = await prepare(t)
  const [one, two] = [await dataDir(t), await dataDir(t)]
  const secret = randomBytes(32)
  const [secretKey, wrong] = [secret.toString('base64url'), randomBytes(32).toString('base64url')]
  const { kid } = (await openSigningKeys(deps, { dataDir: one, secretKey })).current('access_token')
  assert.deepEqual(await readdir(one), [])
  assert.equal((await openSigningKeys(deps, { dataDir: two, secretKey })).current('access_token').kid, kid)
  await assert.rejects(
    openSigningKeys(deps, { dataDir: two, secretKey: wrong }),
    /^SecretError: PLATEN_SECRET_KEY is not the secret of this database\. Set/,
  )
  await assert.rejects(
    openSigningKeys(deps, { dataDir: two, secretKey: wrong, secretKeyName: 'PLATEN_SECRET_KEY_FILE' }),
    /^SecretError: PLATEN_SECRET_KEY_FILE is not the secret of this database\. Set/,
  )
  await assert.rejects(
    openSigningKeys(deps, { dataDir: two, secretKey: wrong, previousSecretKey: wrong }),
    /^SecretError: Neither PLATEN_SECRET_KEY nor PLATEN_SECRET_KEY_PREVIOUS is the secret of this database\. Set/,
  )
  // The file of a data folder may move to the settings, and back.
  await writeSecret(two, secret)
  assert.equal((await openSigningKeys(deps, { dataDir: two })).current('access_token').kid, kid)
})
