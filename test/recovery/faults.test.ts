import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { call, signIn, signUp } from '../../scripts/lib/client.ts'
import { bundleService, freePort, type ServiceProcess, startServiceProcess } from '../../scripts/lib/service-process.ts'
import { until } from '../lib/until.ts'

const services = new Map<string, ServiceProcess[]>()

async function dataDirectory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-faults-'))
  t.after(async () => {
    // The services stop before their folder is removed, because a running service would still write to it.
    for (const service of services.get(dir) ?? []) await service.stop()
    await rm(dir, { recursive: true, force: true })
  })
  return dir
}

async function start(dataDir: string, env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await startServiceProcess({ PLATEN_DATA_DIR: dataDir, PLATEN_RATE_LIMITS: 'off', ...env })
  services.set(dataDir, [...(services.get(dataDir) ?? []), service])
  return service
}

async function postgresPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
}

async function statusOf(request: Promise<Response>): Promise<number | string> {
  return request.then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.status
    },
    (error: Error) => String((error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.message),
  )
}

test('after a kill at any time, acknowledged changes exist, and sessions remain valid', async (t) => {
  const dataDir = await dataDirectory(t)
  const env = { PLATEN_PORT: String(await freePort()) }
  const first = await start(dataDir, env)
  const password = `kept safe ${randomUUID()}`
  const tokens = await signUp(first.origin, 'ada@example.com', password)
  const { body: products } = await call('GET', `${first.origin}/v1/products`)
  const json = { productId: products.data[0].id, variantId: products.data[0].variants[0].id, name: 'Kept' }
  const { body: design } = await call('POST', `${first.origin}/v1/designs`, { token: tokens.accessToken, json })

  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const second = await start(dataDir, env)

  const { body: read } = await call('GET', `${second.origin}/v1/designs/${design.id}`, { token: tokens.accessToken })
  assert.equal(read.name, 'Kept')
  await signIn(second.origin, 'ada@example.com', password)
})

test('a second start on the same data folder is rejected, and the first service continues', async (t) => {
  const dataDir = await dataDirectory(t)
  const first = await start(dataDir)
  await assert.rejects(startServiceProcess({ PLATEN_DATA_DIR: dataDir }), (error: Error) =>
    error.message.includes(dataDir),
  )
  assert.equal(await statusOf(fetch(`${first.origin}/health/ready`)), 200)
})

test('while PostgreSQL is down, the response to requests is 503 with Retry-After; afterwards the service recovers', async (t) => {
  const dataDir = await dataDirectory(t)
  const service = await start(dataDir)
  const address = `${service.origin}/v1/products`
  let stopped = false
  const seen = new Map<number | string, number>()
  const load = Array.from({ length: 8 }, async () => {
    while (!stopped) {
      const status = await statusOf(fetch(address))
      seen.set(status, (seen.get(status) ?? 0) + 1)
    }
  })
  // PostgreSQL is first stopped and later killed, so that for a while its socket accepts connections and does not
  // respond.
  const pid = await postgresPid(dataDir)
  process.kill(pid, 'SIGQUIT')
  await until('a 503', async () => seen.has(503))
  await until('the recovery', async () => (await statusOf(fetch(`${service.origin}/health/ready`))) === 200)
  const before = seen.get(200) ?? 0
  await until('answers again', async () => (seen.get(200) ?? 0) > before + 20)
  stopped = true
  await Promise.all(load)
  assert.deepEqual([...seen.keys()].sort(), [200, 503])
  assert.notEqual(await postgresPid(dataDir), pid)
  assert.equal(service.child.exitCode, null, 'the service did not restart')
})

test('SIGTERM under load, even twice: every accepted request gets a response, the exit status is 0 and PostgreSQL stops', async (t) => {
  const dataDir = await dataDirectory(t)
  const service = await start(dataDir)
  const outcomes: (number | string)[] = []
  let stopped = false
  const load = Array.from({ length: 8 }, async () => {
    while (!stopped) outcomes.push(await statusOf(fetch(`${service.origin}/v1/products`)))
  })
  await until('some load', async () => outcomes.length > 100)
  // The second signal simulates that a terminal signals npm and the service, and npm forwards the signal.
  service.child.kill('SIGINT')
  const code = await service.stop()
  stopped = true
  await Promise.all(load)
  assert.equal(code, 0)
  // A refused connection (ECONNREFUSED) was never accepted. A reset connection would be an interrupted request.
  const odd = outcomes.filter((one) => one !== 200 && one !== 'ECONNREFUSED')
  assert.deepEqual(odd.slice(0, 5), [])
  await assert.rejects(readFile(join(dataDir, 'postgres/postmaster.pid')), { code: 'ENOENT' })
})

test('a service whose terminal is closed shuts down normally, with its PostgreSQL', async (t) => {
  const dataDir = await dataDirectory(t)
  const env = { PATH: process.env['PATH'], PLATEN_DATA_DIR: dataDir, PLATEN_PORT: String(await freePort()) }
  const child = spawn(process.execPath, [bundleService(), 'serve'], { env })
  t.after(() => child.kill('SIGKILL'))
  await until(
    'the service',
    async () => (await statusOf(fetch(`http://127.0.0.1:${env.PLATEN_PORT}/health/ready`))) === 200,
  )
  child.stdout.destroy()
  child.stderr.destroy()
  child.kill('SIGHUP')
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  await assert.rejects(readFile(join(dataDir, 'postgres/postmaster.pid')), { code: 'ENOENT' })
})

test('an interrupted start stops the PostgreSQL that it has started', async (t) => {
  const dataDir = await dataDirectory(t)
  const env = { PATH: process.env['PATH'], PLATEN_DATA_DIR: dataDir, PLATEN_PORT: String(await freePort()) }
  const child = spawn(process.execPath, [bundleService(), 'serve'], { env })
  t.after(() => child.kill('SIGKILL'))
  await until('PostgreSQL', async () => postgresPid(dataDir).then(Number.isInteger, () => false))
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  await assert.rejects(readFile(join(dataDir, 'postgres/postmaster.pid')), { code: 'ENOENT' })
})

test('if the port is in use, the message names the setting, and the first password is still shown', async (t) => {
  const dataDir = await dataDirectory(t)
  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const env = { PLATEN_DATA_DIR: dataDir, PLATEN_METRICS_PORT: String(port) }
  await assert.rejects(startServiceProcess(env), ({ message }: Error) => {
    assert.match(message, new RegExp(`PLATEN_METRICS_PORT is ${port}`))
    return /password {2}(?:[a-z0-9]{6}-){3}[a-z0-9]{6}\n/.test(message)
  })
})

test('an invalid setting stops the start, and the message names it', async (t) => {
  const dataDir = await dataDirectory(t)
  await assert.rejects(
    startServiceProcess({ PLATEN_DATA_DIR: dataDir, PLATEN_LOGIN_ATTEMPTS: 'five' }),
    /PLATEN_LOGIN_ATTEMPTS is "five"/,
  )
  await assert.rejects(startServiceProcess({ PLATEN_DATA_DIR: dataDir, NODE_ENV: 'production' }), /PLATEN_PUBLIC_URL/)
})
