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
  const child = spawn(process.execPath, [join(import.meta.dirname, 'handover.fixture.ts')], {
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

test('a connection that was passed to a process that ends is closed', async (t) => {
  const port = await startProcesses(t)
  for (let round = 0; round < 2; round += 1) {
    const victim = await ask(port)
    assert.ok(victim !== undefined)
    while ((await ask(port)) === victim);
    process.kill(victim, 'SIGSTOP')
    // One is passed to the process, which does not confirm it. The other process answers the other one.
    const both = [ask(port), ask(port)]
    const answered = await Promise.race(both)
    process.kill(victim, 'SIGKILL')
    let answers: (number | undefined)[] | undefined
    void Promise.all(both).then((all) => {
      answers = all
    })
    await until('the end of both connections', () => answers !== undefined)
    assert.ok(answers?.every((answer) => answer === answered || answer === undefined))
    let replacement: number | undefined
    while (replacement === undefined || replacement === answered) replacement = await ask(port)
    assert.notEqual(replacement, victim)
  }
})
