import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { freePort, inherited } from '../../scripts/lib/service-process.ts'
import { createDatabase } from '../harness.ts'
import { until } from '../lib/until.ts'

const ROOT = join(import.meta.dirname, '../..')
const START = join(ROOT, 'scripts/start.ts')

interface StartOptions {
  env?: Record<string, string>
  /** Whether to start the service with npm in a process group of its own, as a terminal does. */
  npm?: boolean
}

async function start(t: TestContext, { env = {}, npm = false }: StartOptions = {}) {
  const poolConfig = await createDatabase(t)
  const { host, port: databasePort, user, database } = poolConfig
  const query = new URLSearchParams({ host: String(host), port: String(databasePort) })
  const port = String(await freePort())
  const [command, args] = npm ? ['npm', ['start']] : [process.execPath, [START]]
  const starter = spawn(command, args, {
    cwd: ROOT,
    detached: npm,
    env: {
      ...inherited(),
      PLATEN_PORT: port,
      PLATEN_DATABASE_URL: `postgresql://${user}@/${database}?${query}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => starter.kill('SIGTERM'))
  let output = ''
  for (const stream of [starter.stdout, starter.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    )
  return { starter, isReady, output: () => output, poolConfig }
}

/** Finds the process ID of the service, which may be a descendant of the started process. */
function serviceOf({ pid }: ChildProcess): number {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
  const find = (parent: string): string | undefined => {
    const children = all.filter(([, , ppid]) => ppid === parent)
    const found = children.find(([, , , args = '']) => /main\.js serve/.test(args))
    return found?.[1] ?? children.map(([, own = '']) => find(own)).find((one) => one !== undefined)
  }
  return Number(find(String(pid)))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a killed service restarts, logs it, and stops at the first signal', async (t) => {
  const { starter, isReady, output } = await start(t)
  await until('the service is up', isReady)
  const killed = serviceOf(starter)
  process.kill(killed, 'SIGKILL')
  await until('a message', () => output().includes('The service ended unexpectedly (SIGKILL). It starts again in 1 s.'))
  await until('the service is up again', isReady)
  assert.notEqual(serviceOf(starter), killed)
  starter.kill('SIGINT')
  assert.deepEqual(await once(starter, 'close'), [0, null])
  assert.match(output(), /Stopping: /)
})

test('a service that exits unexpectedly restarts under npm after growing pauses, and Ctrl-C stops all processes', async (t) => {
  // With this module, SIGUSR2 makes the service exit unexpectedly.
  const fault = `data:text/javascript,process.on('SIGUSR2',()=>process.exit(7))`
  const { starter, isReady, output } = await start(t, { npm: true, env: { NODE_OPTIONS: `--import=${fault}` } })
  for (const seconds of [1, 2]) {
    await until('the service is up', isReady)
    process.kill(serviceOf(starter), 'SIGUSR2')
    await until('a message', () => output().includes(`(exit code 7). It starts again in ${seconds} s.`))
  }
  await until('the service is up again', isReady)
  const service = serviceOf(starter)
  // A terminal sends SIGINT to npm and to all its descendants.
  process.kill(-(starter.pid ?? 0), 'SIGINT')
  assert.deepEqual(await once(starter, 'close'), [0, null])
  assert.equal(isRunning(service), false)
  assert.equal(output().match(/Stopping: /g)?.length, 1)
})

test('an invalid setting ends the start with its message and an exit status after which systemd does not restart', async (t) => {
  const { starter, output } = await start(t, { env: { PLATEN_LOGIN_ATTEMPTS: 'many' } })
  assert.deepEqual(await once(starter, 'close'), [78, null])
  const unit = await readFile(join(ROOT, 'deploy/systemd/platen.service'), 'utf8')
  assert.match(unit, /^RestartPreventExitStatus=78$/m)
  assert.match(output(), /PLATEN_LOGIN_ATTEMPTS/)
  assert.doesNotMatch(output(), /starts again/)
})

test('a service shuts down normally when the process that started it has ended', async (t) => {
  const { starter, isReady, output, poolConfig } = await start(t)
  await until('the service is up', isReady)
  const client = new pg.Client(poolConfig)
  client.on('error', () => undefined)
  await client.connect()
  const countRunners = async () => (await client.query('select from job_runners')).rowCount
  await until('its job runners', async () => Number(await countRunners()) > 0)
  const service = serviceOf(starter)
  starter.kill('SIGKILL')
  await until('the service has ended', () => !isRunning(service))
  await until('the message', () => output().includes('Stopping: '))
  assert.doesNotMatch(output(), /Error/)
  // The service has closed its database connections.
  assert.equal(await countRunners(), 0)
  await client.end()
})
