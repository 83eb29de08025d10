import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { ClientGone, rejectWhenGone } from '../../concurrency/client-gone.ts'
import { currentRequest } from '../../concurrency/request-context.ts'
import { createTestApp } from '../factory.ts'
import { departureOf } from './departure.ts'
import { publicRoute } from './guard.ts'

test('all waiting work of the requests of a connection adds one listener to it, and work that has ended is not told', () => {
  const socket = new PassThrough()
  const called: number[] = []
  const before = socket.listenerCount('close')
  const stops = Array.from({ length: 20 }, (_, number) =>
    departureOf(socket as unknown as Socket)(() => void called.push(number)),
  )
  assert.equal(socket.listenerCount('close'), before + 1)
  for (const stop of stops.slice(1)) stop()
  socket.emit('close')
  assert.deepEqual(called, [0])
})

test('waiting work of a request is rejected when its client disconnects', async (t) => {
  const app = createTestApp({ drainMs: 20 })
  t.after(() => app.close())
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: rejected, resolve: reject } = Promise.withResolvers<Error>()
  app.get('/waiting', { onRequest: publicRoute }, async () => {
    rejectWhenGone(currentRequest(), 'work', reject)
    begin()
    await rejected
    return {}
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  assert.ok(address !== null && typeof address === 'object')
  const socket = connect(address.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /waiting HTTP/1.1\r\nHost: a\r\n\r\n')
  await begun
  socket.destroy()
  assert.ok((await rejected) instanceof ClientGone)
})
