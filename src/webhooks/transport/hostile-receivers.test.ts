import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  answering,
  type Behaviour,
  flooding,
  hanging,
  repeatingRaw,
  sendingRaw,
  startWebhookReceiver,
  trickling,
} from '../../../test/fakes/webhook-receiver.ts'
import { createSender, type SendOutcome } from './sender.ts'

/** A time limit that a request reaches only if it hangs. */
const PATIENCE_MS = 20_000
/** The time limit for behaviours that never end by themselves. */
const TIMEOUT_MS = 400

function startSender(t: TestContext, timeoutMs = PATIENCE_MS) {
  const sender = createSender({ allowedNetworks: ['127.0.0.1'], timeoutMs })
  t.after(() => sender.close(AbortSignal.abort()))
  return { ...sender, post: (url: string) => sender.send({ url, headers: {}, body: '{}', share: 'a' }) }
}

const HEAD = 'HTTP/1.1 200 OK\r\n'

/** The expected outcome of each behaviour: either the error and its detail, or the status of the response. */
const FAILURES: [string, Behaviour, error: string, detail: RegExp][] = [
  ['never responds', hanging, 'timeout', /No response began within 0\.4 s/],
  ['sends a byte now and then', trickling(50), 'timeout', /The response did not end within/],
  ['sends headers slowly without end', repeatingSlowly('x-more: 1\r\n', HEAD), 'timeout', /No response began within/],
  ['closes the connection before the response', sendingRaw(''), 'connection', /before the response began/],
  [
    'closes the connection inside the headers',
    sendingRaw(`${HEAD}content-le`),
    'connection',
    /before the response began/,
  ],
  [
    'closes the connection inside the body',
    sendingRaw(`${HEAD}content-length: 9\r\n\r\nhalf`),
    'connection',
    /before the end/,
  ],
  ['resets the connection', (response) => void response.socket?.resetAndDestroy(), 'connection', /before the response/],
  ['does not speak HTTP', sendingRaw('220 smtp.example ESMTP\r\n'), 'bad_answer', /is not valid HTTP/],
  [
    'sends two lengths',
    sendingRaw(`${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    'bad_answer',
    /not valid HTTP/,
  ],
  [
    'sends a broken chunk',
    sendingRaw(`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`),
    'bad_answer',
    /not valid HTTP/,
  ],
  ['sends huge headers', sendingRaw(`${HEAD}x: ${'x'.repeat(100_000)}\r\n\r\n`), 'bad_answer', /too long/],
  ['sends headers without end', repeatingRaw(`x: ${'x'.repeat(1000)}\r\n`), 'bad_answer', /not valid HTTP|too long/],
  ['floods with 1xx', repeatingRaw('HTTP/1.1 102 Processing\r\n\r\n'), 'bad_answer', /status 1xx/],
  [
    'sends chunks of one byte, then hangs',
    sendingSome(`${HEAD}transfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(2_000)}`),
    'bad_answer',
    /too many short chunks/,
  ],
  [
    'changes the protocol',
    sendingRaw('HTTP/1.1 101 Odd\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    'bad_answer',
    /101/,
  ],
]

const ANSWERS: [string, Behaviour, status: number][] = [
  ['sends 100 MB', flooding(100e6), 200],
  ['announces 100 MB, then hangs', sendingSome(`${HEAD}content-length: 100000000\r\n\r\n${'x'.repeat(70_000)}`), 200],
  [
    'sends a decompression bomb',
    answering(200, { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50e6)).toString('latin1')),
    200,
  ],
  ['ends its answer by hanging up', sendingRaw(`${HEAD}\r\nall`), 200],
  ['sends many headers', sendingRaw(`${HEAD}${numberedHeaders(1000)}content-length: 0\r\n\r\n`), 200],
  ['is gone for good', answering(410), 410],
  ['answers a status of its own', sendingRaw('HTTP/1.1 799 Odd\r\ncontent-length: 0\r\n\r\n'), 799],
]

function numberedHeaders(count: number): string {
  return Array.from({ length: count }, (_, index) => `x${index}: y\r\n`).join('')
}

/** Sends a text and leaves the connection open. */
function sendingSome(text: string): Behaviour {
  return ({ socket }) => void socket?.write(text)
}

function repeatingSlowly(text: string, first: string): Behaviour {
  return ({ socket }) => {
    socket?.write(first)
    const timer = setInterval(() => socket?.write(text), 30)
    socket?.on('close', () => clearInterval(timer))
  }
}

test('every misbehaviour of a receiver has a precise outcome in time and leaves no connection open', async (t) => {
  const receiver = await startWebhookReceiver(t)
  const patient = startSender(t)
  const impatient = startSender(t, TIMEOUT_MS)
  for (const [index, [, behaviour]] of [...FAILURES, ...ANSWERS].entries()) receiver.behave(behaviour, `/${index}`)
  const slow = FAILURES.map(([, , error], index) =>
    error === 'timeout' ? impatient.post(`${receiver.url}/${index}`) : undefined,
  )
  const waited = await Promise.all(slow)
  // The requests run one after another, because a flood of data in this process would delay the other cases beyond
  // their time limit.
  const outcomes: SendOutcome[] = []
  for (let index = 0; index < FAILURES.length + ANSWERS.length; index += 1) {
    outcomes.push(waited[index] ?? (await patient.post(`${receiver.url}/${index}`)))
  }
  for (const [index, [name, , error, detail]] of FAILURES.entries()) {
    const outcome = outcomes[index]
    assert.ok(outcome?.kind === 'failed', `${name}: ${JSON.stringify(outcome)}`)
    assert.equal(outcome.error, error, `${name}: ${outcome.detail}`)
    assert.match(outcome.detail, detail, name)
  }
  for (const [index, [name, , status]] of ANSWERS.entries()) {
    const outcome = outcomes[FAILURES.length + index]
    assert.ok(outcome?.kind === 'answered', `${name}: ${JSON.stringify(outcome)}`)
    assert.equal(outcome.status, status, name)
    assert.ok(outcome.body.length <= 1024, name)
    assert.ok(Object.keys(outcome.headers).length <= 40, name)
  }
  await Promise.all([patient.close(), impatient.close()])
  await receiver.untilOpen(0)
})

test('a stored response is at most 1 KiB of whole characters without NUL', async (t) => {
  const receiver = await startWebhookReceiver(t)
  const sender = startSender(t)
  receiver.behave(answering(500, {}, `a${'ü'.repeat(2000)}`), '/long')
  receiver.behave(sendingRaw(Buffer.from('HTTP/1.1 500 Odd\r\ncontent-length: 4\r\n\r\na\0\xffb', 'latin1')), '/odd')
  const long = await sender.post(`${receiver.url}/long`)
  assert.ok(long.kind === 'answered')
  assert.deepEqual([long.body, long.truncated], [`a${'ü'.repeat(511)}`, true])
  const odd = await sender.post(`${receiver.url}/odd`)
  assert.ok(odd.kind === 'answered')
  assert.ok(odd.body.isWellFormed() && !odd.body.includes('\0'))
  assert.equal(odd.body.at(0), 'a')
})

test('a host that refuses connections is a connection failure', async (t) => {
  const receiver = await startWebhookReceiver(t)
  await receiver.stop()
  const outcome = await startSender(t).post(receiver.url)
  assert.ok(outcome.kind === 'failed')
  assert.deepEqual([outcome.error, outcome.detail], ['connection', 'The connection was refused.'])
})

test('a TLS handshake that never ends is a timeout', async (t) => {
  const sockets: Socket[] = []
  const silent = createTcpServer((socket) => sockets.push(socket.on('error', () => {}).resume()))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => silent.close())
  const outcome = await startSender(t, TIMEOUT_MS).post(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/`)
  assert.ok(outcome.kind === 'failed')
  assert.deepEqual([outcome.error, outcome.detail], ['timeout', 'The TLS handshake did not end within 0.4 s.'])
  for (const socket of sockets) if (!socket.destroyed) await once(socket, 'close')
  assert.equal(sockets.length, 1)
})

test('connections are reused, and a request is repeated if the receiver closed one', async (t) => {
  let connections = 0
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    request.resume().on('end', () => response.end())
  })
  server.on('connection', (socket) => {
    connections += 1
    let requests = 0
    // The server closes the connection just when the second request arrives.
    server.prependListener('request', (request) => {
      if (request.socket === socket && ++requests === 3) socket.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const sender = startSender(t)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const path of ['/1', '/2', '/3', '/4']) assert.equal((await sender.post(url + path)).kind, 'answered', path)
  assert.equal(connections, 2)
  assert.deepEqual(paths, ['/1', '/2', '/3', '/3', '/4'])
  await sender.close()
})

test('a receiver that closes every connection gets the request once', async (t) => {
  const receiver = await startWebhookReceiver(t)
  receiver.behave(sendingRaw(''))
  const outcome = await startSender(t).post(receiver.url)
  assert.equal(outcome.kind === 'failed' && outcome.error, 'connection')
  assert.equal(receiver.received.length, 1)
})

test('closing waits for running requests until its signal aborts them; nothing is sent afterwards', async (t) => {
  const receiver = await startWebhookReceiver(t)
  const sender = startSender(t)
  await sender.post(`${receiver.url}/idle`)
  let answer = (): void => {}
  receiver.behave((response) => {
    answer = () => void response.end('late')
  }, '/slow')
  receiver.behave(hanging, '/never')
  const slow = sender.post(`${receiver.url}/slow`)
  const never = sender.post(`${receiver.url}/never`)
  await receiver.until(3)
  const deadline = new AbortController()
  const closed = sender.close(deadline.signal)
  const refused = await sender.post(receiver.url)
  assert.equal(refused.kind === 'failed' && refused.error, 'closed')
  answer()
  assert.equal((await slow).kind, 'answered')
  deadline.abort()
  const ended = await never
  assert.equal(ended.kind === 'failed' && ended.error, 'closed')
  await closed
  await receiver.untilOpen(0)
  assert.equal(receiver.received.length, 3)
})
