import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { defineGuard, publicRoute } from '../core/guard.ts'
import { httpProblems } from '../core/problems.ts'
import { createTestApp, TEST_PRINCIPAL } from '../factory.ts'
import { ANONYMOUS_BODY_BYTES } from './body-limits.ts'
import { FLOW_LIMITS } from './limits.ts'

const SIGNED_BYTES = 100_000
const VALID = 'Bearer valid'

const requireCaller = defineGuard({ kind: 'session' }, async ({ principal }) => {
  if (principal === undefined) throw httpProblems.https_required()
})

async function startApp(t: TestContext) {
  const authenticate = async ({ headers }: FastifyRequest) =>
    headers.authorization === VALID ? TEST_PRINCIPAL : undefined
  const app = createTestApp({ flow: FLOW_LIMITS, authenticate })
  const sizeOfBody = async ({ body }: FastifyRequest) => ({ size: JSON.stringify(body).length })
  app.post('/open', { onRequest: publicRoute }, sizeOfBody)
  app.post('/signed', { onRequest: publicRoute, config: { anonymousBodyBytes: SIGNED_BYTES } }, sizeOfBody)
  app.post('/guarded', { onRequest: requireCaller }, sizeOfBody)
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  return (app.server.address() as AddressInfo).port
}

const bodyOf = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2))

interface Sent {
  path?: string
  authorization?: string
  isChunked?: boolean
  /** Leaves the request open after the body. */
  isOpen?: boolean
}

async function send(port: number, bytes: number, { path = '/open', authorization, isChunked, isOpen }: Sent = {}) {
  const headers = {
    'Content-Type': 'application/json',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
    ...(isChunked === true ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': bytes }),
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sending = request({ port, path, method: 'POST', headers }, resolve).on('error', reject)
  sending.write(bodyOf(bytes))
  if (isOpen !== true) sending.end()
  const response = await promise
  const { code } = (await json(response)) as { code?: string }
  sending.destroy()
  return { status: response.statusCode, code, connection: response.headers.connection }
}

const TOO_LARGE = { status: 413, code: 'body_too_large', connection: 'close' }

test('a request without a valid credential has a smaller limit for its body', async (t) => {
  const port = await startApp(t)
  for (const authorization of [undefined, 'Bearer invalid']) {
    const sender = authorization === undefined ? {} : { authorization }
    assert.equal((await send(port, ANONYMOUS_BODY_BYTES, sender)).status, 200)
    assert.deepEqual(await send(port, ANONYMOUS_BODY_BYTES + 1, sender), TOO_LARGE)
  }
  assert.equal((await send(port, 10 * ANONYMOUS_BODY_BYTES, { authorization: VALID })).status, 200)
  assert.deepEqual(await send(port, ANONYMOUS_BODY_BYTES + 1, { path: '/unknown' }), TOO_LARGE)
})

test('the limit holds for bodies of unknown length, before their end has arrived', async (t) => {
  const port = await startApp(t)
  assert.equal((await send(port, ANONYMOUS_BODY_BYTES, { isChunked: true })).status, 200)
  assert.deepEqual(await send(port, ANONYMOUS_BODY_BYTES + 1, { isChunked: true, isOpen: true }), TOO_LARGE)
  assert.equal((await send(port, 10 * ANONYMOUS_BODY_BYTES, { isChunked: true, authorization: VALID })).status, 200)
})

test('a route whose senders sign the body has a limit of its own', async (t) => {
  const port = await startApp(t)
  for (const isChunked of [false, true]) {
    assert.equal((await send(port, SIGNED_BYTES, { path: '/signed', isChunked })).status, 200)
    assert.deepEqual(await send(port, SIGNED_BYTES + 1, { path: '/signed', isChunked }), TOO_LARGE)
  }
})

test('the guard of a route rejects a caller before the size of the body matters', async (t) => {
  const port = await startApp(t)
  const { status } = await send(port, ANONYMOUS_BODY_BYTES + 1, { path: '/guarded' })
  assert.equal(status, httpProblems.https_required().status)
})
