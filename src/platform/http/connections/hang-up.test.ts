import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { signalOfHangUp } from './hang-up.ts'

/** Starts a server whose handler waits before it checks whether the client is still connected. */
async function startServer(t: TestContext) {
  const [entered, goOn, signal] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<AbortSignal>(),
  ]
  const closed = Promise.withResolvers<void>()
  const app = Fastify()
  app.get('/', async (_, reply) => {
    reply.raw.once('close', () => closed.resolve())
    entered.resolve()
    await goOn.promise
    signal.resolve(signalOfHangUp(reply))
    return 'done'
  })
  await app.listen({ port: 0 })
  t.after(() => app.close())
  const client = request({ port: (app.server.address() as AddressInfo).port, agent: false })
  client.on('error', () => {})
  client.on('response', (response) => response.resume())
  client.end()
  await entered.promise
  return { client, goOn: goOn.resolve, signal: signal.promise, closed: closed.promise }
}

test('a request with a response is not aborted', async (t) => {
  const { goOn, signal, closed } = await startServer(t)
  goOn()
  await closed
  assert.equal((await signal).aborted, false)
})

test('a client that disconnected before the signal was created aborts the request', async (t) => {
  const { client, goOn, signal, closed } = await startServer(t)
  client.destroy()
  await closed
  goOn()
  assert.equal((await signal).aborted, true)
})

test('a client that disconnects while it waits aborts the request', async (t) => {
  const app = Fastify()
  const [entered, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  app.get('/', async (_, reply) => {
    signalOfHangUp(reply).addEventListener('abort', () => aborted.resolve())
    entered.resolve()
    await aborted.promise
    return 'done'
  })
  await app.listen({ port: 0 })
  t.after(() => app.close())
  const client = request({ port: (app.server.address() as AddressInfo).port, agent: false })
  client.on('error', () => {})
  client.end()
  await entered.promise
  client.destroy()
  await aborted.promise
})
