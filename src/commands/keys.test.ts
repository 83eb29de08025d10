import assert from 'node:assert/strict'
import { once } from 'node:events'
import { access, chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startServiceProcess } from '../../scripts/lib/service-process.ts'
import { until } from '../../test/lib/until.ts'
import { platen, platenHere } from './platen.fixture.ts'

async function run(dataDir: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const { code, out, err } = await platen(args, { PLATEN_DATA_DIR: dataDir })
  return { code, output: `${out}${err}` }
}

/** Makes a data folder whose path is too long for the name of a Unix socket. */
async function longDataDir(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'platen-keys-'))
  await chmod(root, 0o711)
  t.after(() => rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  const dataDir = join(root, 'a-folder-whose-name-is-long'.repeat(4))
  await mkdir(dataDir, { mode: 0o711 })
  return dataDir
}

const isRunning = (dataDir: string): Promise<boolean> =>
  access(join(dataDir, 'postgres/postmaster.pid')).then(
    () => true,
    () => false,
  )

async function published(origin: string): Promise<string[]> {
  const answer = await fetch(`${origin}/.well-known/jwks.json`)
  return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
}

test('TK-7: rotates keys on the embedded database while the service runs, after it was killed, and without it', async (t) => {
  const dataDir = await longDataDir(t)
  const service = await startServiceProcess({ PLATEN_DATA_DIR: dataDir })
  t.after(() => service.child.kill('SIGKILL'))
  const before = await published(service.origin)
  const pid = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')

  const early = await run(dataDir, 'keys', 'rotate')
  assert.equal(early.code, 1, early.output)
  assert.match(early.output, /^Nothing was changed\..* --now /)
  assert.deepEqual(await published(service.origin), before)

  const forced = await run(dataDir, 'keys', 'rotate', '--now')
  assert.equal(forced.code, 0, forced.output)
  await until('the new keys are published', async () => (await published(service.origin)).length > before.length)
  const after = await published(service.origin)
  assert.equal(after.length, before.length + 2)
  for (const kid of after) assert.ok(forced.output.includes(kid), kid)
  assert.equal(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), pid, 'its PostgreSQL was left alone')

  // The embedded PostgreSQL continues to run after the service was killed.
  service.child.kill('SIGKILL')
  await once(service.child, 'exit')
  for (const situation of ['left behind', 'stopped']) {
    const rotated = await run(dataDir, 'keys', 'rotate', '--now', '--purpose', 'access_token')
    assert.equal(rotated.code, 0, `${situation}: ${rotated.output}`)
    assert.equal(await isRunning(dataDir), false, situation)
  }
})

test('rejects --revoke without --purpose, because a revocation cannot be undone', async () => {
  const { code, err } = await platenHere(['keys', 'rotate', '--revoke'])
  assert.equal(code, 2)
  assert.match(err, /^platen: --revoke requires --purpose\. Add --purpose access_token /)
})
