import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { createServer, type TlsOptions } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { makeCertificate, makeCostlyChain } from '../../../test/fakes/certificate.ts'
import { until } from '../../../test/lib/until.ts'
import { createThreadedFileSource, createThreadedSender } from './in-thread.ts'

/** More than the gate lets begin. */
const MANY = 40
const LOCAL = { allowedNetworks: ['127.0.0.1'] }

async function listen(
  t: TestContext,
  server: ReturnType<typeof createServer | typeof createHttpServer>,
): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

async function startHostile(t: TestContext, options: TlsOptions): Promise<string> {
  const server = createServer(options, (socket) => socket.on('error', () => undefined).destroy())
  server.on('tlsClientError', () => undefined)
  return `https://127.0.0.1:${await listen(t, server)}/`
}

const startServer = async (t: TestContext, listener: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(t, createHttpServer(listener))}/`

function startSender(t: TestContext, certificateAuthorities?: string) {
  const sender = createThreadedSender({
    ...LOCAL,
    ...(certificateAuthorities === undefined ? {} : { certificateAuthorities }),
  })
  t.after(() => sender.close(AbortSignal.abort()))
  return { ...sender, post: (url: string, share = 'a') => sender.send({ url, headers: {}, body: '{"a":"ü"}', share }) }
}

test('costly handshakes take no time of the event loop, and those of one share soon end', async (t) => {
  const good = makeCertificate(['127.0.0.1'])
  const { post } = startSender(t, good.cert)
  const url = await startHostile(t, makeCostlyChain(40))
  await post(url, 'other')
  const [loop, all] = [process.threadCpuUsage(), process.cpuUsage()]
  const outcomes = await Promise.all(Array.from({ length: MANY }, () => post(url)))
  const [loopMs, allMs] = [process.threadCpuUsage(loop).user / 1000, process.cpuUsage(all).user / 1000]
  assert.ok(loopMs < allMs / 2, `${loopMs} of ${allMs} ms in the event loop`)
  const details = outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.detail : ''))
  const begun = details.filter((detail) => detail.includes('authority that is not trusted'))
  const refused = details.filter((detail) => detail.includes('Too many TLS handshakes have failed'))
  assert.ok(begun.length < 5 && begun.length + refused.length === MANY, details.join('\n'))
})

test('a server cannot choose the numbers of the key exchange', async (t) => {
  const { post } = startSender(t)
  const ciphers = 'DHE-RSA-AES128-GCM-SHA256'
  const url = await startHostile(t, { ...makeCostlyChain(1), ciphers, dhparam: 'auto', maxVersion: 'TLSv1.2' })
  const outcome = await post(url)
  assert.match(outcome.kind === 'failed' ? outcome.detail : '', /TLS negotiation failed/)
})

test('a server cannot begin further handshakes on a connection', async (t) => {
  const good = makeCertificate(['localhost'])
  const { post } = startSender(t, good.cert)
  const server = createServer({ ...good, maxVersion: 'TLSv1.2' }, (socket) => {
    const respond = () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    socket.on('error', () => undefined).once('data', () => socket.renegotiate({}, respond))
  })
  const outcome = await post(`https://localhost:${await listen(t, server)}/`)
  assert.equal(outcome.kind === 'failed' && outcome.error, 'connection')
})

test('if the thread dies, its requests fail, and the next ones are made by another thread', async (t) => {
  const asked: Worker[] = []
  const postMessage = Worker.prototype.postMessage
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, ...values: Parameters<typeof postMessage>) {
    asked.push(this)
    postMessage.apply(this, values)
  })
  let received = 0
  const url = await startServer(t, (_request, response) => {
    received += 1
    if (received > 1) response.end()
  })
  const { post } = startSender(t)
  const first = post(url)
  await until('the request', () => received === 1)
  await asked[0]?.terminate()
  const outcome = await first
  assert.equal(outcome.kind === 'failed' && outcome.error, 'connection')
  assert.equal((await post(url)).kind, 'answered')
  assert.notEqual(asked[0], asked[1])
})

test('requests and responses arrive as they were sent, over connections that are used again', async (t) => {
  const bodies: string[] = []
  let connections = 0
  const server = createHttpServer((request, response) => {
    buffer(request).then((body) => {
      bodies.push(body.toString())
      response.setHeader('x-test', 'yes').end('done')
    })
  }).on('connection', () => (connections += 1))
  const { post } = startSender(t)
  const url = `http://127.0.0.1:${await listen(t, server)}/`
  for (let count = 0; count < 3; count += 1) {
    const outcome = await post(url)
    assert.ok(outcome.kind === 'answered')
    assert.deepEqual([outcome.status, outcome.body, outcome.headers['x-test']], [200, 'done', 'yes'])
  }
  assert.deepEqual([bodies, connections], [Array(3).fill('{"a":"ü"}'), 1])
})

test('a sender that closes ends its running requests, and sends no more', async (t) => {
  let received = 0
  const url = await startServer(t, () => (received += 1))
  const sender = createThreadedSender(LOCAL)
  const outcome = sender.send({ url, headers: {}, body: '{}', share: 'a' })
  await until('the request', () => received === 1)
  await sender.close(AbortSignal.abort())
  const later = await sender.send({ url, headers: {}, body: '{}', share: 'a' })
  for (const one of [await outcome, later]) assert.equal(one.kind === 'failed' && one.error, 'closed')
})

test('invalid headers reject the request', async (t) => {
  const sender = startSender(t)
  await assert.rejects(sender.send({ url: 'http://127.0.0.1:1/', headers: { 'a b': '' }, body: '', share: 'a' }))
})

test('files arrive whole, also over TLS, and a source is not read further than its reader has come', async (t) => {
  const bytes = randomBytes(5_000_000)
  const good = makeCertificate(['127.0.0.1'])
  let flushed = 0
  const listener: RequestListener = (request, response) => {
    if (request.url === '/file') response.end(bytes)
    else {
      const more = () => {
        while (!response.destroyed && response.write(bytes.subarray(0, 65_536))) flushed += 65_536
      }
      response.on('drain', more)
      more()
    }
  }
  const http = await startServer(t, listener)
  const https = `https://127.0.0.1:${await listen(t, createHttpsServer({ ...good }, listener))}/`
  const source = createThreadedFileSource(LOCAL)
  const open = (url: string, signal = new AbortController().signal) => source.open(url, { share: 'a', signal })
  const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
  assert.equal(hash(await buffer(await open(`${http}file`))), hash(bytes))
  await assert.rejects(open(`${https}file`), { name: 'SourceFailed', message: /self-signed/ })
  const endless = await open(`${http}endless`)
  for (let before = -1; before < flushed; await new Promise((resolve) => setTimeout(resolve, 200))) before = flushed
  assert.ok(flushed < 40_000_000, `${flushed} bytes of a file that is not read`)
  endless.destroy()
})

test('a file whose request is aborted fails, and its connection ends', async (t) => {
  let closed = 0
  const url = await startServer(t, (request, response) => {
    request.on('close', () => undefined)
    response.on('close', () => (closed += 1)).write('begin')
  })
  const source = createThreadedFileSource(LOCAL)
  const aborting = new AbortController()
  const stream = await source.open(url, { share: 'a', signal: aborting.signal })
  aborting.abort()
  await assert.rejects(buffer(stream), { name: 'SourceFailed' })
  await until('the end of the connection', () => closed === 1)
  await assert.rejects(source.open(url, { share: 'a', signal: AbortSignal.abort() }), { name: 'SourceFailed' })
})
