import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { joiningRequests, type ReadingOptions } from './joined-parts.ts'
import type { ReadParts, WaitToRead } from './reading-turns.ts'

interface Received {
  text: string
  parts: number
}

/** Starts a server that collects the body of each request. `send` sends a body in chunks. */
async function startCollecting(t: TestContext, read = collect, options: ReadingOptions = {}) {
  const received: Received[] = []
  const refused: string[] = []
  const requests = joiningRequests((socket, { isAnswered }) => {
    refused.push(isAnswered ? 'after the response' : 'before the response')
    socket.destroy()
  }, options)
  const server = createServer({ IncomingMessage: requests }, async (request, response) => {
    // Reading a refused request fails, because the request is aborted.
    await read(request).then(
      (body) => received.push(body),
      () => undefined,
    )
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const send = async (chunks: string[], connection = 'close') => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: ${connection}\r\n\r\n`)
    const coded = chunks.map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
    socket.write(`${coded.join('')}0\r\n\r\n`)
    if (connection === 'keep-alive') socket.end()
    socket.resume()
    await new Promise((resolve) => socket.once('close', resolve))
  }
  /** Opens a connection that has sent the head of a request with a body, and got the response. */
  const connection = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    await once(socket, 'data')
    return socket
  }
  return { send, connection, received, refused }
}

async function collect(request: IncomingMessage): Promise<Received> {
  let [text, parts] = ['', 0]
  for await (const part of request) {
    text += part
    parts += 1
  }
  return { text, parts }
}

/** Creates chunks of these lengths, each of another letter. */
const chunksOf = (lengths: number[]) =>
  lengths.map((length, index) => String.fromCharCode(97 + (index % 26)).repeat(length))

test('short parts of a body are joined in their order, and long ones are passed on unchanged', async (t) => {
  const { send, received, refused } = await startCollecting(t)
  const chunks = chunksOf([...Array(2_000).fill(100), 9_000, 1, 2, 30_000, ...Array(500).fill(70), 1])
  await send(chunks)
  assert.deepEqual(refused, [])
  assert.equal(received.length, 1)
  assert.equal(received[0]?.text, chunks.join(''))
  assert.ok((received[0]?.parts ?? 0) < 200, String(received[0]?.parts))
})

test('a body in few parts arrives as it was sent', async (t) => {
  const { send, received } = await startCollecting(t)
  for (const chunks of [[], ['a'], chunksOf(Array(16).fill(1)), chunksOf([5_000, 1, 5_000])]) await send(chunks)
  assert.deepEqual(
    received.map(({ text }) => text.length),
    [0, 1, 16, 10_001],
  )
})

test('a slow reader gets the whole body', async (t) => {
  const { send, received } = await startCollecting(t, async (request) => {
    await pause(300)
    let text = ''
    for await (const part of request) {
      text += part
      if (text.length % 7 === 0) await pause(1)
    }
    return { text, parts: 0 }
  })
  const chunks = chunksOf(Array(10_000).fill(100))
  await send(chunks)
  assert.equal(received[0]?.text, chunks.join(''))
})

test('a body in too many short parts is refused once', async (t) => {
  const { send, received, refused } = await startCollecting(t)
  await send(chunksOf(Array(100).fill(1)))
  assert.deepEqual([received.length, refused], [1, []])
  await send(chunksOf(Array(100_000).fill(1)))
  assert.deepEqual(refused, ['before the response'])
})

test('a body in too many short parts is refused once, even after the response to its request', async (t) => {
  const { send, refused } = await startCollecting(t, async () => ({ text: '', parts: 0 }))
  await send(chunksOf(Array(100).fill(1)))
  assert.deepEqual(refused, [])
  await send(chunksOf(Array(100_000).fill(1)))
  assert.deepEqual(refused, ['after the response'])
})

/** Holds sockets back until `go` is called. `read` lists what they had delivered before. */
function holdBack() {
  const [held, read]: [PromiseWithResolvers<void>, ReadParts[]] = [Promise.withResolvers<void>(), []]
  const waitToRead: WaitToRead = (_socket, parts) => {
    read.push({ ...parts })
    return held.promise
  }
  return { read, waitToRead, go: held.resolve }
}

/** Far more than the buffers of a connection hold. */
const MANY = 100_000

test('a body in short parts is read on only when it is its turn, and arrives as a whole', async (t) => {
  const { read, waitToRead, go } = holdBack()
  const { send, received, refused } = await startCollecting(t, collect, { waitToRead })
  const sent = send(chunksOf(Array(MANY).fill(100)))
  while (read.length === 0) await pause(5)
  await pause(200)
  assert.equal(read.length, 1)
  assert.ok((read[0]?.parts ?? MANY) < 1_000, JSON.stringify(read))
  go()
  await sent
  assert.deepEqual(refused, [])
  assert.equal(received[0]?.text.length, 100 * MANY)
})

test('a body that continues after the response is read on only when it is its turn, also in long parts', async (t) => {
  for (const length of [100, 20_000]) {
    const { read, waitToRead, go } = holdBack()
    const { send, refused } = await startCollecting(t, async () => ({ text: '', parts: 0 }), { waitToRead })
    const sent = send(chunksOf(Array((100 * MANY) / length).fill(length)), 'keep-alive')
    while (read.length === 0) await pause(5)
    await pause(200)
    assert.equal(read.length, 1)
    assert.ok((read[0]?.bytes ?? MANY) < 300_000, JSON.stringify(read))
    go()
    await sent
    assert.deepEqual(refused, [])
    assert.ok(read.length > 50, String(read.length))
  }
})

test('a socket is read no further than its reader has read, also in turns', async (t) => {
  const bytesRead: number[] = []
  const { send, received } = await startCollecting(t, async (request) => {
    const parts = request[Symbol.asyncIterator]()
    await parts.next()
    await pause(300)
    bytesRead.push(request.socket.bytesRead)
    return collect(request)
  })
  await send(chunksOf(Array(MANY).fill(100)))
  assert.ok((bytesRead[0] ?? MANY) < 1024 * 1024, String(bytesRead))
  assert.equal(received.length, 1)
})

test('few parts of many reads are paid for as well as many of one', async (t) => {
  const { read, waitToRead, go } = holdBack()
  go()
  const { connection } = await startCollecting(t, async () => ({ text: '', parts: 0 }), { waitToRead })
  const socket = await connection()
  for (let count = 0; count < 30; count += 1) {
    socket.write('1\r\na\r\n')
    await pause(5)
  }
  assert.ok(read.length > 2, String(read.length))
  socket.destroy()
})

test('a connection whose body does not end after the response is cut, and others are not', async (t) => {
  const { connection } = await startCollecting(t, async () => ({ text: '', parts: 0 }), { silenceMs: 300, restMs: 900 })
  const [silent, slow, complete] = [await connection(), await connection(), await connection()]
  complete.write('0\r\n\r\n')
  const begin = performance.now()
  const sending = setInterval(() => slow.write('1\r\na\r\n'), 50)
  t.after(() => clearInterval(sending))
  // A socket that writes when it is cut also emits an error.
  const durationOf = (socket: Socket) =>
    new Promise<number>((resolve) => {
      socket.on('error', () => undefined).once('close', () => resolve(performance.now() - begin))
    })
  const [silentMs, slowMs] = await Promise.all([durationOf(silent), durationOf(slow)])
  assert.ok(silentMs < slowMs && slowMs > 600, `${silentMs} ms, ${slowMs} ms`)
  assert.equal(complete.readyState, 'open')
  complete.destroy()
})
