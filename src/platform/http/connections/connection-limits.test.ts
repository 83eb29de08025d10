import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createMetrics } from '../../telemetry/metrics.ts'
import { publicRoute } from '../core/guard.ts'
import { createTestApp } from '../factory.ts'
import type { ConnectionLimits } from './connection-limits.ts'

const REQUEST = 'GET /things HTTP/1.1\r\nHost: a\r\n\r\n'

async function startApp(t: TestContext, limits: Partial<ConnectionLimits>) {
  const metrics = createMetrics()
  const connections = { total: 100, ofAddress: 100, waitingOfAddress: 100, waitingRequests: 16, ...limits }
  const app = createTestApp({ metrics, connections, drainMs: 20 })
  let handled = 0
  const gate = Promise.withResolvers<void>()
  app.get('/things', { onRequest: publicRoute }, async () => {
    handled += 1
    return {}
  })
  app.get('/slow', { onRequest: publicRoute }, async () => {
    await gate.promise
    return {}
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const sockets: Socket[] = []
  t.after(async () => {
    gate.resolve()
    for (const socket of sockets) socket.destroy()
    await app.close()
  })
  return {
    handled: () => handled,
    open: async (localAddress = '127.0.0.1'): Promise<Socket> => {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      socket.on('error', () => undefined)
      sockets.push(socket)
      await once(socket, 'connect')
      return socket
    },
    accept: (socket: Socket) => app.server.emit('connection', socket),
    letGo: () => gate.resolve(),
    countCut: async (reason: string) =>
      (await metrics.flow.cut.get()).values.find(({ labels }) => labels.reason === reason)?.value ?? 0,
  }
}

/** Returns what arrives until the connection has ended, or until a number of responses is there. */
async function read(socket: Socket, responses = Number.POSITIVE_INFINITY): Promise<number> {
  let text = ''
  const count = () => text.split('HTTP/1.1 200').length - 1
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  while (!socket.closed && count() < responses) await delay(5)
  return count()
}

test('requests that a client sends in advance are answered in their order', async (t) => {
  const app = await startApp(t, {})
  const socket = await app.open()
  socket.write(REQUEST.repeat(16))
  assert.equal(await read(socket, 16), 16)
})

test('a network opens a limited number of connections in a second, and others go on', async (t) => {
  const app = await startApp(t, { newOfNetwork: 20 })
  const outcomeOf = async (address: string): Promise<'served' | 'reset'> => {
    const socket = await app.open(address).catch(() => undefined)
    socket?.write(REQUEST)
    return socket !== undefined && (await read(socket, 1)) === 1 ? 'served' : 'reset'
  }
  // At the turn of a second, two seconds count.
  const ofNetwork = Array.from({ length: 100 }, (_, n) => outcomeOf(`127.0.1.${1 + (n % 50)}`))
  const outcomes = await Promise.all([...ofNetwork, outcomeOf('127.0.2.1')])
  assert.equal(outcomes.at(-1), 'served')
  const served = outcomes.filter((outcome) => outcome === 'served').length - 1
  assert.ok(served >= 20 && served < 100, String(served))
  assert.equal(await app.countCut('connections'), 100 - served)
})

test('a connection whose client has left before it was accepted is closed', async (t) => {
  const app = await startApp(t, {})
  // Like such a connection, this socket has no remote address.
  const left = new Socket()
  app.accept(left)
  assert.ok(left.destroyed)
})

test('a connection with too many waiting requests is cut, and the rest of its bytes is not parsed', async (t) => {
  const app = await startApp(t, {})
  const socket = await app.open()
  socket.write(REQUEST.repeat(1500))
  assert.ok((await read(socket)) <= 16)
  assert.ok(app.handled() <= 16, `${app.handled()} requests were handled`)
  assert.equal(await app.countCut('pipelining'), 1)
  const next = await app.open()
  next.write(REQUEST)
  assert.equal(await read(next, 1), 1)
})

test('the waiting requests of all connections of an address are limited', async (t) => {
  const app = await startApp(t, { waitingOfAddress: 3 })
  const sockets = [await app.open(), await app.open(), await app.open(), await app.open()]
  for (const socket of sockets) socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
  await Promise.race(sockets.map((socket) => once(socket, 'close')))
  assert.equal(await app.countCut('pipelining'), 1)
  app.letGo()
  const answered = await Promise.all(sockets.filter(({ closed }) => !closed).map((socket) => read(socket, 1)))
  assert.deepEqual(answered, [1, 1, 1])
})

test('requests with an Expect header count, too', async (t) => {
  const app = await startApp(t, {})
  const socket = await app.open()
  socket.write('GET /things HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n'.repeat(500))
  assert.ok((await read(socket)) <= 16)
  assert.equal(await app.countCut('pipelining'), 1)
})

test('of an address with too many connections, the oldest idle one makes room', async (t) => {
  const app = await startApp(t, { ofAddress: 3 })
  const busy = await app.open()
  busy.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
  const [silent, kept, newest] = [await app.open(), await app.open(), await app.open()]
  await once(silent, 'close')
  assert.equal(await app.countCut('connections'), 1)
  for (const socket of [kept, newest]) {
    socket.write(REQUEST)
    assert.equal(await read(socket, 1), 1)
  }
  app.letGo()
  assert.equal(await read(busy, 1), 1)
})

/** Only on Linux, all addresses of 127.0.0.0/8 belong to the computer. */
const OTHER_ADDRESS = process.platform === 'linux' ? '127.0.0.2' : undefined
const noOtherAddress = OTHER_ADDRESS === undefined ? 'the computer has one loopback address' : undefined

test('when no further connection fits, the address with the most connections makes room for another', {
  skip: noOtherAddress,
}, async (t) => {
  const app = await startApp(t, { total: 4 })
  const flood = [await app.open(), await app.open(), await app.open(), await app.open()]
  const victim = await app.open(OTHER_ADDRESS)
  await once(flood[0] as Socket, 'close')
  victim.write(REQUEST)
  assert.equal(await read(victim, 1), 1)
  assert.equal(await app.countCut('connections'), 1)
})

test('an address whose connections are all busy makes room, too', { skip: noOtherAddress }, async (t) => {
  const app = await startApp(t, { total: 4 })
  const busy = [await app.open(), await app.open(), await app.open(), await app.open()]
  for (const socket of busy) socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
  await delay(100)
  const victim = await app.open(OTHER_ADDRESS)
  victim.write(REQUEST)
  assert.equal(await read(victim, 1), 1)
  assert.equal(busy.filter(({ closed }) => closed).length, 1)
})

test('a network with few connections for each of many addresses makes room for others', {
  skip: noOtherAddress,
}, async (t) => {
  const app = await startApp(t, { total: 12 })
  const kept = [await app.open(), await app.open(), await app.open()]
  for (let n = 1; n <= 20; n += 1) await app.open(`127.0.1.${n}`)
  kept.push(await app.open())
  for (const socket of kept) {
    socket.write(REQUEST)
    assert.equal(await read(socket, 1), 1)
  }
})
