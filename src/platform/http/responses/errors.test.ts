import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ClientGone } from '../../concurrency/client-gone.ts'
import { currentRequest } from '../../concurrency/request-context.ts'
import { TransferLimited } from '../../db/admission/connection-gate.ts'
import { storageUnavailable } from '../../storage/index.ts'
import { createLog } from '../../telemetry/log.ts'
import { publicRoute } from '../core/guard.ts'
import { createTestApp } from '../factory.ts'

/** Calls a route that throws. Returns the status and the lines of the log. */
async function fail(t: TestContext, error: Error) {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream
  const app = createTestApp({ log: createLog({ level: 'info', destination }) })
  t.after(() => app.close())
  app.get('/things', { onRequest: publicRoute }, async () => {
    throw error
  })
  const { statusCode } = await app.inject('/things')
  const logged = lines.map((line) => JSON.parse(line)).filter(({ code }) => code !== undefined)
  return { statusCode, logged }
}

const [INFO, WARN, ERROR] = [30, 40, 50]

test('an unexpected error is logged as an error with its stack', async (t) => {
  const { statusCode, logged } = await fail(t, new TypeError('a mistake of the program'))
  assert.equal(statusCode, 500)
  assert.deepEqual(
    logged.map(({ level, code }) => [level, code]),
    [[ERROR, 'internal_error']],
  )
  assert.match(logged[0].err.stack, /a mistake of the program[\s\S]*errors\.test/)
})

test('a refusal is logged as a warning with its cause, and without a stack', async (t) => {
  const { statusCode, logged } = await fail(t, storageUnavailable(new Error('no space left')))
  assert.equal(statusCode, 503)
  assert.deepEqual(
    logged.map(({ level, reason }) => [level, reason]),
    [[WARN, 'no space left']],
  )
  assert.doesNotMatch(JSON.stringify(logged), /stack|errors\.test/)
})

test('a client that has disconnected is no fault of the service', async (t) => {
  const { logged } = await fail(t, new ClientGone('body'))
  assert.deepEqual(
    logged.map(({ level, reason }) => [level, reason]),
    [[INFO, 'the client disconnected while its body waited']],
  )
})

test('a caller who has moved too many bytes gets 429 with the time to wait, and signing in is marked', async (t) => {
  const app = createTestApp({ rateLimits: { anonymous: 100, signedIn: 100, signIn: 100 } })
  t.after(() => app.close())
  app.get('/things', { onRequest: publicRoute }, async () => {
    throw new TransferLimited(2_100)
  })
  const answer = async () => ({ signsIn: currentRequest()?.signsIn })
  app.get('/plain', { onRequest: publicRoute }, answer)
  app.get('/sign-in', { onRequest: publicRoute, config: { countedAs: 'signIn' } }, answer)
  const { statusCode, headers, body } = await app.inject('/things')
  assert.deepEqual([statusCode, headers['retry-after'], JSON.parse(body).code], [429, '3', 'rate_limited'])
  const [plain, signIn] = [await app.inject('/plain'), await app.inject('/sign-in')]
  assert.deepEqual([plain.json(), signIn.json()], [{ signsIn: false }, { signsIn: true }])
})
