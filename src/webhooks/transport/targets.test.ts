import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeCertificate } from '../../../test/fakes/certificate.ts'
import { startNameServer } from '../../../test/fakes/name-server.ts'
import { answering, redirecting, startWebhookReceiver } from '../../../test/fakes/webhook-receiver.ts'
import { createResolve } from './resolve.ts'
import { createSender, type SenderOptions } from './sender.ts'

function startSender(t: TestContext, options: Partial<SenderOptions> = {}) {
  const sender = createSender({ allowedNetworks: [], timeoutMs: 5_000, ...options })
  t.after(() => sender.close(AbortSignal.abort()))
  return {
    ...sender,
    post: (url: string) => sender.send({ url, headers: { 'webhook-id': 'evt_1' }, body: '{"a":"ü"}', share: 'a' }),
  }
}

test('a request has the given headers and body, our User-Agent and nothing else', async (t) => {
  const receiver = await startWebhookReceiver(t)
  receiver.behave(answering(201, { 'x-one': '1' }, 'taken'))
  const sender = startSender(t, { allowedNetworks: ['127.0.0.1'] })
  const outcome = await sender.post(`${receiver.url}/hooks?shop=1`)
  assert.ok(outcome.kind === 'answered')
  assert.deepEqual([outcome.status, outcome.body, outcome.truncated], [201, 'taken', false])
  assert.equal(outcome.headers['x-one'], '1')
  const [{ method, path, body, headers } = assert.fail()] = receiver.received
  assert.deepEqual([method, path, body], ['POST', '/hooks?shop=1', '{"a":"ü"}'])
  assert.match(headers['user-agent'] ?? '', /^Platen\/\d+\.\d+\.\d+/)
  assert.deepEqual(Object.keys(headers).sort(), [
    'accept',
    'accept-encoding',
    'connection',
    'content-length',
    'host',
    'user-agent',
    'webhook-id',
  ])
})

test('internal IP addresses are refused before connecting, in every spelling', async (t) => {
  const receiver = await startWebhookReceiver(t)
  const sender = startSender(t)
  const loopback = ['127.0.0.1', '127.1', '0x7f.1', '0177.0.0.1', '2130706433', '127.0.0.1.', '127.000.000.001', '0']
  const spelt = [
    '１２７.0.0.1',
    '127。0。0。1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::1]',
    '[::]',
    '[0:0::127.0.0.1]',
  ]
  const names = ['localhost', 'LOCALHOST', 'localhost.', 'localhost..', 'a.localhost', 'a.b.localhost.']
  for (const host of [...loopback, ...spelt, ...names, '[64:ff9b::127.0.0.1]']) {
    const url = `http://${host}:${receiver.port}/`
    const outcome = await sender.post(url)
    assert.equal(outcome.kind === 'failed' && outcome.error, 'refused_target', host)
    assert.match((await sender.checkTarget(url)) ?? '', /does not lead to a public IP address/, host)
  }
  assert.equal(receiver.received.length, 0)
  for (const url of [
    'ftp://example.com',
    'file:///etc/passwd',
    'example.com',
    'http://',
    'https://me:secret@example.com',
    'https://.',
    'https://../',
    'https://example.com:0/',
  ]) {
    const outcome = await sender.post(url)
    assert.equal(outcome.kind === 'failed' && outcome.error, 'refused_target', url)
    assert.ok((await sender.checkTarget(url)) !== undefined, url)
  }
})

test('DNS rebinding: the IP address that is connected to is the one that was checked', async (t) => {
  const receiver = await startWebhookReceiver(t)
  const answers = [['8.8.8.8'], ['127.0.0.1'], ['127.0.0.1', '10.0.0.1']]
  const nameServer = await startNameServer(t, () => answers.shift() ?? ['127.0.0.1'])
  const sender = startSender(t, { resolve: createResolve({ nameServers: [nameServer.address] }) })
  const url = `http://rebind.example:${receiver.port}/`
  assert.equal(await sender.checkTarget(url), undefined)
  for (let tries = 0; tries < 3; tries += 1) {
    const outcome = await sender.post(url)
    assert.equal(outcome.kind === 'failed' && outcome.error, 'refused_target')
    // The owner must not learn what the DNS of the service knows about the internal network.
    assert.doesNotMatch(JSON.stringify(outcome), /127\.0|10\.0/)
  }
  assert.match((await sender.checkTarget(url)) ?? '', /public IP address/)
  assert.equal(receiver.received.length, 0)
})

test('a connection uses the IP addresses of one look-up, and only allowed ones', async (t) => {
  const receiver = await startWebhookReceiver(t)
  let lookups = 0
  // The first response contains a public address that is unreachable. A second query, or a connection without the
  // filter, would reach the private one.
  const nameServer = await startNameServer(t, () =>
    lookups++ === 0 ? ['10.255.255.1', '127.0.0.1'] : ['10.255.255.1'],
  )
  const sender = startSender(t, {
    allowedNetworks: ['127.0.0.1'],
    resolve: createResolve({ nameServers: [nameServer.address] }),
  })
  const outcome = await sender.post(`http://mixed.example.:${receiver.port}/`)
  assert.equal(outcome.kind === 'answered' && outcome.status, 200)
  assert.equal(lookups, 1)
  assert.equal(receiver.received[0]?.headers.host, `mixed.example:${receiver.port}`)
})

test('an unknown host name can be saved, because each connection checks it again', async (t) => {
  const nameServer = await startNameServer(t, (name) => (name === 'empty.example' ? [] : undefined))
  const resolve = createResolve({ nameServers: [nameServer.address] })
  const sender = startSender(t, { resolve })
  for (const [host, detail] of [
    ['nowhere.example', 'The host name does not exist.'],
    ['empty.example', 'The host name has no IP address.'],
  ]) {
    const { durationMs, ...outcome } = await sender.post(`https://${host}/`)
    assert.deepEqual(outcome, { kind: 'failed', error: 'dns', detail })
    assert.ok(durationMs >= 0)
    assert.equal(await sender.checkTarget(`https://${host}/`), undefined)
  }
})

test('a name server that never answers delays only its own webhook', async (t) => {
  const receiver = await startWebhookReceiver(t)
  const nameServer = await startNameServer(t, (name) => (name === 'tarpit.example' ? 'silent' : ['127.0.0.1']))
  const reach = { allowedNetworks: ['127.0.0.1'], resolve: createResolve({ nameServers: [nameServer.address] }) }
  const sender = startSender(t, reach)
  // Many more queries than the threads that `dns.lookup` would occupy.
  const tarpits = Array.from({ length: 20 }, () => sender.post('http://tarpit.example/'))
  let ended = 0
  for (const tarpit of tarpits) void tarpit.then(() => (ended += 1))
  assert.equal((await sender.post(`http://quick.example:${receiver.port}/`)).kind, 'answered')
  assert.equal(ended, 0)
  await sender.close(AbortSignal.abort())
  for (const tarpit of await Promise.all(tarpits)) assert.equal(tarpit.kind === 'failed' && tarpit.error, 'closed')

  const impatient = startSender(t, { ...reach, timeoutMs: 200 })
  const { durationMs: _, ...outcome } = await impatient.post('http://tarpit.example/')
  assert.deepEqual(outcome, {
    kind: 'failed',
    error: 'timeout',
    detail: 'The connection was not established within 0.2 s.',
  })
})

test('redirects are not followed', async (t) => {
  const receiver = await startWebhookReceiver(t)
  const sender = startSender(t, { allowedNetworks: ['127.0.0.1'] })
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.behave(redirecting(`${receiver.url}/elsewhere`, status), '/')
    const outcome = await sender.post(`${receiver.url}/`)
    assert.ok(outcome.kind === 'answered')
    assert.equal(outcome.status, status)
  }
  assert.ok(receiver.received.every(({ path }) => path === '/'))
})

test('unless http is allowed, only allowed networks are reached without encryption', async (t) => {
  const receiver = await startWebhookReceiver(t)
  const resolve = async (hostname: string) => {
    if (hostname === 'unknown.example') throw Object.assign(new Error(), { code: 'ENOTFOUND' })
    return ['8.8.8.8']
  }
  const sender = startSender(t, { allowedNetworks: ['127.0.0.1'], allowHttp: false, resolve })
  assert.equal((await sender.post(receiver.url)).kind, 'answered')
  for (const url of ['http://8.8.8.8/', 'http://public.example/', 'http://unknown.example/']) {
    assert.match((await sender.checkTarget(url)) ?? '', /must start with https/)
    if (url.includes('unknown')) continue
    const outcome = await sender.post(url)
    assert.equal(outcome.kind === 'failed' && outcome.error, 'refused_target')
  }
  assert.equal(await sender.checkTarget('https://public.example/'), undefined)
})

test('over TLS, the certificate must be trusted and match the host name, not the IP address', async (t) => {
  const good = makeCertificate(['receiver.example'])
  const receiver = await startWebhookReceiver(t, { tls: good })
  const reach = { allowedNetworks: ['127.0.0.1'], resolve: async () => ['127.0.0.1'] }
  const url = `https://receiver.example:${receiver.port}/`

  const trusting = startSender(t, { ...reach, certificateAuthorities: good.cert })
  assert.equal((await trusting.post(url)).kind, 'answered')
  const expectRefusal = async (sender: ReturnType<typeof startSender>, address: string, detail: RegExp) => {
    const outcome = await sender.post(address)
    assert.ok(outcome.kind === 'failed')
    assert.equal(outcome.error, 'tls')
    assert.match(outcome.detail, detail)
  }
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  await expectRefusal(startSender(t, reach), url, /is self-signed/)
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  await expectRefusal(trusting, url.replace('receiver', 'other'), /is for another host/)
  await expectRefusal(trusting, url.replace('receiver.example', '127.0.0.1'), /is for another host/)

  const old = makeCertificate(['receiver.example'], { notAfter: new Date(Date.now() - 86_400_000) })
  const expired = await startWebhookReceiver(t, { tls: old })
  const knowing = startSender(t, { ...reach, certificateAuthorities: old.cert })
  await expectRefusal(knowing, url.replace(`${receiver.port}`, `${expired.port}`), /has expired/)

  const plain = await startWebhookReceiver(t)
  await expectRefusal(trusting, `https://receiver.example:${plain.port}/`, /TLS negotiation failed/)
  assert.equal(receiver.received.length + expired.received.length + plain.received.length, 1)
})
