import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createChecker, createRenderer } from '../src/rendering/index.ts'
import { startService, type TestService } from './harness.ts'

const NOT_STARTING = new URL('../src/rendering/checking/not-starting.fixture.ts', import.meta.url)
const log = { warn: () => {} }

/** Repeats the readiness probe for some seconds, until it returns the given status. */
async function untilReady({ request, origin }: TestService, status: number) {
  for (let tries = 0; ; tries += 1) {
    const answer = await request('GET', `${origin}/health/ready`)
    if (answer.status === status || tries === 100) return answer
    await sleep(100)
  }
}

test('a service whose checking processes cannot start is not ready and names the cause', async (t) => {
  const checker = createChecker({ processes: 1, module: NOT_STARTING, log })
  t.after(() => checker.close())
  const service = await startService(t, { overrides: { checker } })
  const { status, body, headers } = await untilReady(service, 503)
  assert.deepEqual([status, body.code, body.parts], [503, 'service_unavailable', ['text layout']])
  assert.equal(headers.get('retry-after'), '10')
  assert.equal((await service.request('GET', `${service.origin}/health/live`)).status, 200)
})

test('a service whose drawing processes cannot start is not ready and names the cause', async (t) => {
  const renderer = createRenderer({ processes: 1, module: NOT_STARTING, log })
  t.after(() => renderer.close())
  const service = await startService(t, { overrides: { renderer } })
  const { status, body } = await untilReady(service, 503)
  assert.deepEqual([status, body.code, body.parts], [503, 'service_unavailable', ['drawing']])
})

test('a service that can check and draw is ready', async (t) => {
  const service = await startService(t)
  assert.deepEqual((await untilReady(service, 200)).body, { status: 'ready' })
})
