import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { hashSync } from '@node-rs/bcrypt'
import type pg from 'pg'
import { bundleService } from '../../../../scripts/lib/service-process.ts'
import { createDatabase, startService } from '../../../../test/harness.ts'
import { createPasswordHasher } from '../../passwords/hasher.ts'
import { readUsers } from './read-users.ts'

const PASSWORD = 'gravel tango lighthouse'

async function importFile(
  t: TestContext,
  { database, content, args = [] }: { database: pg.PoolConfig; content: string; args?: string[] },
): Promise<{ code: number; out: string; err: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-import-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  const file = join(dir, 'users.jsonl')
  await writeFile(file, content)
  const { host, port, user = '', database: name = '' } = database
  const url = `postgres://${user}@/${name}?host=${encodeURIComponent(host ?? '')}&port=${port}`
  const env = { ...process.env, PLATEN_DATABASE_URL: url, PLATEN_DATA_DIR: dir }
  return new Promise((resolve) => {
    execFile(process.execPath, [bundleService(), 'users', 'import', file, ...args], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

function foreignHashes(): Record<string, string> {
  const salt = randomBytes(16)
  const pbkdf2 = base64(pbkdf2Sync(PASSWORD, salt, 1000, 32, 'sha256'))
  return {
    bcrypt: hashSync(PASSWORD, 4),
    scrypt: `$scrypt$ln=10,r=8,p=1$${base64(salt)}$${base64(scryptSync(PASSWORD, salt, 32, { cost: 1024 }))}`,
    pbkdf2: `$pbkdf2-sha256$i=1000$${base64(salt)}$${pbkdf2}`,
    passlib: `$pbkdf2-sha256$1000$${base64(salt).replaceAll('+', '.')}$${pbkdf2.replaceAll('+', '.')}`,
  }
}

test('PW-5: imported users sign in with hashes of other systems, which Argon2id then replaces', async (t) => {
  const database = await createDatabase(t)
  const argon2id = await createPasswordHasher({ memoryKiB: 8192, passes: 1, lanes: 1 }).hash(PASSWORD)
  const hashes = { ...foreignHashes(), argon2id }
  const lines = Object.entries(hashes).map(([scheme, passwordHash]) =>
    JSON.stringify({
      email: `${scheme}@example.com`,
      name: 'Ada',
      role: 'operator',
      emailVerified: true,
      passwordHash,
    }),
  )
  const imported = await importFile(t, { database, content: lines.join('\n') })
  assert.deepEqual([imported.code, imported.out], [0, '5 accounts imported, 0 skipped.\n'], imported.err)
  const service = await startService(t, { database, hashesAtRealCost: true })
  for (const scheme of Object.keys(hashes)) {
    const email = `${scheme}@example.com`
    const login = async (password: string): Promise<number> =>
      (await service.request('POST', '/api/auth/login', { body: { email, password } })).status
    assert.deepEqual(
      [await login(`${PASSWORD}!`), await login(PASSWORD), await login(PASSWORD)],
      [401, 200, 200],
      scheme,
    )
    const user = await service.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
    assert.match(user.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.deepEqual([user.name, user.role], ['Ada', 'operator'])
    assert.equal(await login(`${PASSWORD}!`), 401)
  }
  const events = await service.db
    .selectFrom('security_events')
    .where('type', '=', 'password_imported')
    .selectAll()
    .execute()
  assert.deepEqual(new Set(events.map(({ actor }) => actor)), new Set(['operator']))
  assert.equal(events.length, 5)
})

test('PW-2, PW-5: a bcrypt hash compares 72 bytes, the Argon2id hash that replaces it the whole password', async (t) => {
  const database = await createDatabase(t)
  const password = `${'lighthouse '.repeat(7)}and what follows`
  const user = { email: 'ada@example.com', emailVerified: true, passwordHash: hashSync(password, 4) }
  await importFile(t, { database, content: JSON.stringify(user) })
  const service = await startService(t, { database })
  const login = async (given: string): Promise<number> =>
    (await service.request('POST', '/api/auth/login', { body: { email: user.email, password: given } })).status
  assert.deepEqual([await login(password), await login(password.slice(0, 72)), await login(password)], [200, 401, 200])
})

test('an import is validated before it adds users, and reports places but no hashes', async (t) => {
  const database = await createDatabase(t)
  const { bcrypt = '' } = foreignHashes()
  const content = [
    JSON.stringify({ email: 'ada@example.com', passwordHash: bcrypt }),
    '',
    JSON.stringify({ email: 'nobody', role: 'owner', password: 'x', emailVerified: 1, name: '' }),
    JSON.stringify({ email: 'ADA@example.com ', passwordHash: '$scrypt$ln=30,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA' }),
    `{"email": "bob@example.com", "passwordHash": "${bcrypt}"`,
    '7',
    JSON.stringify({ email: 'Ada@Example.com' }),
  ].join('\n')
  const { code, err } = await importFile(t, { database, content })
  assert.equal(code, 1)
  assert.deepEqual(err.trim().split('\n'), [
    'line 3 has "password", which is unknown (known: email, name, role, emailVerified, passwordHash)',
    'line 3 has no "email" that is a single plain email address',
    'line 3 has a "name" that is not one line of 1 to 100 characters',
    'line 3 has a "role" that is none of customer, operator, admin',
    'line 3 has an "emailVerified" that is neither true nor false',
    'line 4 has a "passwordHash" that has ln = 30, but only 1 to 20 is accepted',
    'line 5 is not valid JSON',
    'line 6 is not an object',
    'line 7 has the same email as line 1',
    'Nothing was imported.',
  ])
})

test('an import skips existing accounts, has a dry run and can be repeated', async (t) => {
  const service = await startService(t)
  const known = await service.signUp()
  const options = service.services.database.pool.options as pg.PoolConfig
  const { host, port, user, database: name } = options
  const database = { host, port, user, database: name } as pg.PoolConfig
  const content = JSON.stringify([{ email: known.email, role: 'admin' }, { email: 'new@example.com' }])
  const rehearsed = await importFile(t, { database, content, args: ['--dry-run'] })
  const skipped = `entry 1: ${known.email} already has an account, which was not changed\n`
  assert.equal(rehearsed.out, `${skipped}1 account would be imported, 1 skipped.\n`)
  assert.equal((await importFile(t, { database, content })).out, `${skipped}1 account imported, 1 skipped.\n`)
  assert.match((await importFile(t, { database, content })).out, /0 accounts imported, 2 skipped\.\n$/)
  const me = await service.request('GET', '/me', { token: known.accessToken })
  assert.equal(me.body.role, 'customer')
  const body = { email: 'new@example.com' }
  assert.equal((await service.request('POST', '/api/auth/password/forgot', { body })).status, 202)
})

test('a malformed array and an empty file are reported differently', () => {
  assert.deepEqual(readUsers('[{"email":'), {
    users: [],
    complaints: [{ place: 'the file', problem: 'is not valid JSON' }],
  })
  assert.deepEqual(readUsers(' \n'), { users: [], complaints: [] })
})
