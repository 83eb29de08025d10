import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/lib/until.ts'

async function startProcesses(t: TestContext): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'shared-port.fixture.ts')], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ports: string[] = []
  for await (const line of createInterface(child.stdout)) if (ports.push(line) === 2) break
  return Number(ports[0])
}

/** Opens a connection. Returns the process that answered it, or undefined if it ended without an answer. */
async function ask(port: number): Promise<number | undefined> {
  const socket = connect(port, '127.0.0.1')
  const answer = text(socket).catch(() => '')
  await once(socket, 'connect')
  return Number(await answer) || undefined
}

const isUnsupported = process.platform !== 'linux' && 'the system does not distribute connections among processes'

test('connections that wait at a process that ends are closed, and the other one and its replacement answer', {
  skip: isUnsupported,
}, async (t) => {
  const port = await startProcesses(t)
  const victim = await ask(port)
  assert.ok(victim !== undefined)
  process.kill(victim, 'SIGSTOP')
  const answers: (number | undefined)[] = []
  const asked = Array.from({ length: 30 }, async () => answers.push(await ask(port)))
  // Those of the other process are answered.
  await until('answers', () => answers.length > 0)
  process.kill(victim, 'SIGKILL')
  await Promise.all(asked)
  const [other] = answers
  assert.ok(answers.every((answer) => answer === other || answer === undefined))
  let replacement: number | undefined
  while (replacement === undefined || replacement === other) replacement = await ask(port)
  assert.notEqual(replacement, victim)
})
