import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChecker, createRenderer } from '../../src/rendering/index.ts'
import { startService, type TestResponse, type TestService } from '../harness.ts'
import { until } from '../lib/until.ts'

const NOT_STARTING = new URL('../../src/rendering/checking/not-starting.fixture.ts', import.meta.url)
const log = { warn: () => {} }

/** Repeats the readiness probe until it returns the given status. */
async function untilReady({ request, origin }: TestService, status: number): Promise<TestResponse> {
  let answer: TestResponse | undefined
  await until(`readiness ${status}`, async () => {
    answer = await request('GET', `${origin}/health/ready`)
    return answer.status === status
  })
  return answer as TestResponse
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
