import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../scripts/lib/service-process.ts'
import { createDatabase } from './harness.ts'

const START = join(import.meta.dirname, '../scripts/start.ts')

/** Starts the service as `npm start` does. */
async function start(t: TestContext, env: Record<string, string> = {}) {
  const { host, port: databasePort, user, database } = await createDatabase(t)
  const query = new URLSearchParams({ host: String(host), port: String(databasePort) })
  const port = String(await freePort())
  const starter = spawn(process.execPath, [START], {
    env: {
      ...process.env,
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
  return { starter, isReady, output: () => output }
}

async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (await check()) return
    await delay(50)
  }
  assert.fail(`waited 60 s for: ${what}`)
}

/** The process ID of the service. */
async function serviceOf({ pid }: ChildProcess): Promise<number> {
  const [first = ''] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')
  return Number(first)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a service that is killed starts again, says so, and still stops at the first signal', async (t) => {
  const { starter, isReady, output } = await start(t)
  await until('the service is up', isReady)
  const killed = await serviceOf(starter)
  process.kill(killed, 'SIGKILL')
  await until('a message', () => output().includes('The service ended unexpectedly (SIGKILL). It starts again in 1 s.'))
  await until('the service is up again', isReady)
  assert.notEqual(await serviceOf(starter), killed)
  starter.kill('SIGINT')
  assert.deepEqual(await once(starter, 'exit'), [0, null])
  assert.match(output(), /Stopping: /)
})

test('a setting that cannot be used ends the start with its message and exit code 1', async (t) => {
  const { starter, output } = await start(t, { PLATEN_LOGIN_ATTEMPTS: 'many' })
  assert.deepEqual(await once(starter, 'exit'), [1, null])
  assert.match(output(), /PLATEN_LOGIN_ATTEMPTS/)
  assert.doesNotMatch(output(), /starts again/)
})

test('a service stops when the process that would start it again is gone', async (t) => {
  const { starter, isReady, output } = await start(t)
  await until('the service is up', isReady)
  const service = await serviceOf(starter)
  starter.kill('SIGKILL')
  await until('the service has ended', () => !isRunning(service))
  assert.match(output(), /Stopping: /)
  assert.doesNotMatch(output(), /Error/)
})
