import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startClientScene, startPlaten } from './client.fixture.ts'
import { startServer } from './server.fixture.ts'

test('listen ends at a signal while it reads earlier events', async (t) => {
  const { env } = await startClientScene(t)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    let pages = 0
    const reading = Promise.withResolvers<void>()
    const origin = await startServer(t, async (_request, response) => {
      pages += 1
      if (pages === 3) reading.resolve()
      await delay(200)
      const event = { id: `evt_${pages}`, type: 'order.created', subject: 'ord_1', createdAt: '2020-01-01T00:00:00Z' }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ data: [event], nextCursor: `after_${pages}` }))
    })
    const settings = { ...env, PLATEN_URL: origin, PLATEN_API_KEY: 'platen_mine' }
    const child = startPlaten(t, ['listen', '--since', '1h'], settings)
    await Promise.race([reading.promise, child.ended])
    child.kill(signal)
    assert.equal(await Promise.race([child.ended, delay(60_000, 'still running', { ref: false })]), 0)
    assert.deepEqual([child.out(), child.err()], ['', ''])
  }
})

test('a second signal ends a command that is slow to stop, unless npm forwarded the first one', async (t) => {
  const module = join(import.meta.dirname, 'stop-on-signal.ts')
  // The program sends the second signal itself, because the time between two signals of the test can be any.
  const script = `import { stopOnSignal } from ${JSON.stringify(module)}
    stopOnSignal().signal.addEventListener('abort', () => {
      process.kill(process.pid, 'SIGINT')
      console.log('stopping')
    })
    setInterval(() => undefined, 1_000)
    console.log('started')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  await once(child.stdout, 'data')
  await delay(1_200)
  assert.equal(child.exitCode, null)
  child.kill('SIGINT')
  assert.deepEqual(await Promise.race([ended, delay(60_000, 'still running', { ref: false })]), [130, null])
})
