import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer, type TlsOptions } from 'node:tls'
import { makeCertificate, makeCostlyChain } from '../../../../test/fakes/certificate.ts'
import { startWebhookReceiver } from '../../../../test/fakes/webhook-receiver.ts'
import { createSender } from '../sender.ts'
import { createHandshakeBudget } from './handshake-budget.ts'

/** Beyond the processor time that the handshakes of a share may take, on any computer. */
const MANY = 200

async function startHostile(t: TestContext, options: TlsOptions): Promise<string> {
  const server = createServer(options, (socket) => socket.on('error', () => undefined).destroy())
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `https://receiver.example:${(server.address() as AddressInfo).port}/`
}

function startSender(t: TestContext, trusted: string) {
  const sender = createSender({
    allowedNetworks: ['127.0.0.1'],
    resolve: async () => ['127.0.0.1'],
    certificateAuthorities: trusted,
  })
  t.after(() => sender.close(AbortSignal.abort()))
  return (url: string, share: string) => sender.send({ url, headers: {}, body: '{}', share })
}

test('costly handshakes take no time of the event loop, and end for their share before they delay others for long', async (t) => {
  const good = makeCertificate(['receiver.example'])
  const receiver = await startWebhookReceiver(t, { tls: good })
  const goodUrl = `https://receiver.example:${receiver.port}/`
  const send = startSender(t, good.cert)
  const hostile = await startHostile(t, makeCostlyChain(40))
  const [first] = await Promise.all([send(hostile, 'hostile'), send(goodUrl, 'other')])
  assert.match(first.kind === 'failed' ? first.detail : '', /authority that is not trusted/)
  const [loop, all] = [process.threadCpuUsage(), process.cpuUsage()]
  const outcomes = await Promise.all(Array.from({ length: MANY }, () => send(hostile, 'hostile')))
  const [loopMs, allMs] = [process.threadCpuUsage(loop).user / 1000, process.cpuUsage(all).user / 1000]
  assert.ok(loopMs < allMs / 2, `${loopMs} of ${allMs} ms in the event loop`)
  const details = outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.detail : ''))
  const costly = details.filter((detail) => detail.includes('too much processor time'))
  assert.ok(costly.length > MANY / 2, `${costly.length} of ${MANY} ended`)
  const refused = await send(goodUrl, 'hostile')
  assert.equal(refused.kind === 'failed' && refused.error, 'tls')
  assert.equal((await send(goodUrl, 'other')).kind, 'answered')
})

test('a server cannot choose the numbers of the key exchange', async (t) => {
  const certificate = makeCertificate(['receiver.example'])
  const send = startSender(t, certificate.cert)
  const ciphers = 'DHE-RSA-AES128-GCM-SHA256'
  const { key, cert } = makeCostlyChain(1)
  const url = await startHostile(t, { key, cert, ciphers, dhparam: 'auto', maxVersion: 'TLSv1.2' })
  const outcome = await send(url, 'a')
  assert.match(outcome.kind === 'failed' ? outcome.detail : '', /TLS negotiation failed/)
})

test('only the costly handshakes of the last minute count, for each share on its own', () => {
  let now = 0
  const budget = createHandshakeBudget(() => now)
  for (let count = 0; count < 100; count += 1) budget.spend('a', 49)
  assert.equal(budget.hasRoom('a'), true)
  budget.spend('a', 1_000)
  now = 30_000
  budget.spend('a', 1_000)
  assert.deepEqual([budget.hasRoom('a'), budget.hasRoom('b')], [false, true])
  now = 60_000
  assert.equal(budget.hasRoom('a'), true)
})
