import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { bundleService } from '../../scripts/lib/service-process.ts'
import { createDatabase, startService } from '../harness.ts'

async function startWith(t: TestContext, env: Record<string, string>): Promise<{ code: number; stderr: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-unsafe-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  return new Promise((resolve) => {
    const { PATH = '' } = process.env
    const all = { PATH, PLATEN_DATA_DIR: dataDir, PLATEN_PORT: '0', ...env }
    const child = execFile(
      process.execPath,
      [bundleService(), 'serve'],
      { env: all, timeout: 30_000 },
      (_error, _out, stderr) => resolve({ code: child.exitCode ?? -1, stderr }),
    )
  })
}

test('HD-5: an unsafe setting ends the start and is named', async (t) => {
  const production = { NODE_ENV: 'production', PLATEN_PUBLIC_URL: 'https://print.example.com' }
  const unsafe: [string, Record<string, string>][] = [
    ['PLATEN_PUBLIC_URL', { NODE_ENV: 'production' }],
    ['PLATEN_SECRET_KEY', { ...production, PLATEN_SECRET_KEY: '' }],
    ['PLATEN_SECRET_KEY', { ...production, PLATEN_SECRET_KEY: 'short' }],
    ['PLATEN_PUBLIC_URL', { ...production, PLATEN_PUBLIC_URL: 'http://print.example.com' }],
    ['PLATEN_ADMIN_PASSWORD', { ...production, PLATEN_ADMIN_PASSWORD: 'short' }],
    ['PLATEN_ADMIN_PASSWORD', { ...production, PLATEN_ADMIN_PASSWORD: '' }],
    ['PLATEN_PAYMENT_PROVIDER', { ...production, PLATEN_PAYMENT_PROVIDER: 'test' }],
    ['PLATEN_REDIRECT_URIS', { ...production, PLATEN_REDIRECT_URIS: 'http://shop.example/done' }],
    ['PLATEN_GOOGLE_CLIENT_SECRET', { ...production, PLATEN_GOOGLE_CLIENT_ID: 'id' }],
    ['PLATEN_SMS_COUNTRIES', { ...production, PLATEN_SMS_URL: 'https://user:secret@sms.example' }],
    ['PLATEN_DATABASE_URL', { ...production, PLATEN_DATABASE_URL: 'postgres://127.0.0.1:1/none' }],
  ]
  const outcomes = await Promise.all(unsafe.map(([, env]) => startWith(t, env)))
  for (const [index, { code, stderr }] of outcomes.entries()) {
    const [name = ''] = unsafe[index] ?? []
    // A database that does not respond may respond later.
    assert.equal(code, name === 'PLATEN_DATABASE_URL' ? 1 : 78, name)
    assert.match(stderr, new RegExp(`^platen: ${name} `), stderr)
    assert.doesNotMatch(stderr, /user:secret|\n\s+at /)
  }
})

test('HD-5: a damaged or foreign secret ends the start', async (t) => {
  const database = await createDatabase(t)
  const first = await startService(t, { database })
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-secret-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  for (const secret of ['', 'too short', 'A'.repeat(43)]) {
    await writeFile(join(dataDir, 'secret.key'), secret)
    await assert.rejects(startService(t, { database, dataDir }), /secret\.key/)
  }
  await rm(join(dataDir, 'secret.key'))
  await assert.rejects(startService(t, { database, dataDir }), /secret\.key is missing/)
  assert.equal((await first.request('GET', `${first.origin}/health/ready`)).status, 200)
})

test('HD-5: without its database the service responds with 503, never as if a caller were signed in', async (t) => {
  const database = await createDatabase(t)
  const service = await startService(t, { database })
  const { accessToken, email, password } = await service.signUp()
  const admin = new pg.Client({ ...database, database: 'postgres' })
  await admin.connect()
  try {
    await admin.query(`alter database ${database.database} allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database.database])
    const answers = [
      await service.request('GET', '/me', { token: accessToken }),
      await service.request('POST', '/api/auth/login', { body: { email, password } }),
      await service.request('GET', `${service.origin}/health/ready`),
    ]
    for (const { status, headers } of answers) {
      assert.equal(status, 503)
      assert.match(headers.get('retry-after') ?? '', /^\d+$/)
    }
  } finally {
    await admin.query(`alter database ${database.database} allow_connections true`)
    await admin.end()
  }
})
