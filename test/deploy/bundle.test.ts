import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../../scripts/lib/build/built.ts'
import { bundleService, startServiceProcess } from '../../scripts/lib/service-process.ts'
import { startClientScene } from '../../src/commands/client/client.fixture.ts'
import { createDatabase, temporaryDir } from '../harness.ts'

const START_MS = 180_000

function urlOf({ host, port, user, database }: Awaited<ReturnType<typeof createDatabase>>): string {
  return `postgresql://${user}@/${database}?${new URLSearchParams({ host: String(host), port: String(port) })}`
}

test('the bundle serves pages and orders, and its processes are those of the bundle', async (t) => {
  const database = await createDatabase(t)
  const scene = await startClientScene(t, { database })
  const env = {
    PLATEN_DATABASE_URL: urlOf(database),
    PLATEN_DATA_DIR: scene.service.config.dataDir,
    PLATEN_PAYMENT_PROVIDER: 'test',
    PLATEN_PROCESSES: '2',
  }
  const service = await startServiceProcess(env, START_MS)
  t.after(() => service.child.kill('SIGKILL'))
  for (const path of ['/', '/console', '/docs', '/v1/openapi.json']) {
    assert.equal((await fetch(`${service.origin}${path}`)).status, 200, path)
  }
  const { env: key } = await scene.newKey()
  for (const type of ['design.files_ready', 'payment.refunded']) {
    const { code, err } = await scene.run(['trigger', type], { ...key, PLATEN_URL: service.origin })
    assert.deepEqual([code, err], [0, ''], type)
  }
  const programs = execFileSync('ps', ['--ppid', String(service.child.pid), '-o', 'args='], { encoding: 'utf8' })
  assert.match(programs, /dist\/service\/commands-processes-api-process\.js/)
  assert.match(programs, /dist\/service\/rendering-worker\.js/)
  assert.match(programs, /dist\/service\/rendering-checking-worker\.js/)
  assert.doesNotMatch(programs, /\/src\//)
  assert.equal(await service.stop(), 0)
})

test('a service that was started through a link keeps its release when the link is switched', async (t) => {
  const folder = await temporaryDir(t)
  const link = join(folder, 'platen')
  symlinkSync(ROOT, link)
  bundleService()
  const env = { PLATEN_DATA_DIR: join(folder, 'data'), PLATEN_DATABASE_URL: urlOf(await createDatabase(t)) }
  const service = await startServiceProcess(env, START_MS, join(link, 'dist/service/main.js'))
  t.after(() => service.child.kill('SIGKILL'))
  rmSync(link)
  symlinkSync(join(folder, 'next-release'), link)
  // Starts a thread that hashes passwords, whose program is loaded only now.
  const signIn = await fetch(`${service.origin}/v1/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', password: 'a quiet lake at dusk' }),
  })
  assert.equal(signIn.status, 401, service.output())
  assert.equal(await service.stop(), 0)
})

test('no file of the bundle loads a program, which would run in another program', () => {
  const folder = join(import.meta.dirname, '../../dist/service')
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const texts = new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  const programs = names.filter((name) => !/-[\w-]{8}\.js$/.test(name) || name === 'rendering-pool-watchdog-thread.js')
  assert.ok(programs.includes('main.js') && programs.includes('rendering-worker.js'), programs.join())
  for (const [name, text] of texts) {
    for (const program of programs) {
      assert.ok(!new RegExp(`(?:from|import|import\\() ?"\\./${program}"`).test(text), `${name} loads ${program}`)
    }
  }
})

test('the bundle has only ASCII characters, so that each takes one byte of memory', () => {
  const folder = join(import.meta.dirname, '../../dist/service')
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.js'))) {
    assert.equal(readFileSync(join(folder, name), 'utf8').match(/.{0,40}[^\0-\x7f]/)?.[0], undefined, name)
  }
})
