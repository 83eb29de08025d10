import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { answering, startWebhookReceiver } from '../../../test/fakes/webhook-receiver.ts'
import { untilEventsVisible } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { emit } from '../../platform/outbox/index.ts'
import { type NewKey, startClientScene, startPlaten } from './client.fixture.ts'
import { startCuttingProxy } from './events/cutting-proxy.fixture.ts'

interface Written {
  type?: string
  at?: Date
  data?: object
}

/** Starts a service with a webhook receiver and a proxy in front of the service. */
async function startListenScene(t: TestContext) {
  const scene = await startClientScene(t)
  const { service } = scene
  const receiver = await startWebhookReceiver(t)
  const proxy = await startCuttingProxy(t, service.origin)
  return {
    ...scene,
    receiver,
    proxy,
    /** Writes an event of the account, and returns its subject. */
    write: async (
      { userId: ownerId }: NewKey,
      { type = 'order.created', at = new Date(), data = {} }: Written = {},
    ) => {
      const subject = newId('order')
      await service.db
        .transaction()
        .execute((trx) => emit(trx, { type, subject, ownerId, data: { id: subject, ...data }, at }))
      return subject
    },
    /** Starts `platen listen`, and waits until the stream has started. */
    listen: async (key: NewKey, args: readonly string[] = [], env = key.env) => {
      const child = startPlaten(t, ['listen', ...args], env)
      await child.until(/^Listening for events of .*Press Ctrl-C to stop\.$/m)
      return child
    },
  }
}

const subjectsIn = (output: string) => output.match(/ord_\w+/g) ?? []
const subjectOf = ({ body }: { body: string }) => JSON.parse(body).subject as string

test('platen listen', async (t) => {
  const scene = await startListenScene(t)
  const { service, receiver, proxy, write, newKey, listen, run } = scene
  const throughProxy = (key: NewKey) => ({ ...key.env, PLATEN_URL: proxy.origin })

  await t.test('posts each event as a webhook would, signed with the secret that it prints', async () => {
    const key = await newKey()
    receiver.received.length = 0
    const child = await listen(key, ['--forward-to', `${receiver.url}/hooks`])
    const secret = /^Signing secret: (whsec_\S+)$/m.exec(child.err())?.[1] ?? ''
    const subject = await write(key, { data: { text: 'Ünïcödé \u2028 🎈\u001b[2J', list: [1.5, '\\"'] } })
    await receiver.until(1)
    const [message] = receiver.received
    assert.ok(message)
    const headers = message.headers as Record<string, string>
    const listed = await service.request('GET', '/events', { token: key.token })
    const verified = new Webhook(secret).verify(message.body, headers)
    assert.deepEqual(verified, listed.body.data[0])
    assert.ok(listed.text.includes(message.body), 'the same bytes as in the list, which webhooks have')
    assert.throws(() => new Webhook(secret).verify(`${message.body} `, headers))
    assert.deepEqual([message.method, headers['content-type']], ['POST', 'application/json'])
    assert.equal(headers['webhook-id'], listed.body.data[0].id)
    assert.equal(headers['authorization'], undefined)
    await child.until(/^ {2}delivered: status 200 in \d+ ms$/m)
    assert.match(child.out(), new RegExp(`^2\\S+Z {2}order\\.created {2}${subject} {2}evt_\\w+$`, 'm'))
    child.kill('SIGINT')
    assert.equal(await child.ended, 0, child.err())
  })

  await t.test('loses and repeats no event when the connection is cut, even before the first event', async () => {
    for (const hasEvents of [false, true]) {
      const key = await newKey()
      if (hasEvents) await write(key)
      const child = await listen(key, [], throughProxy(key))
      proxy.cut()
      await child.until(/^The connection was lost: .* Reconnecting in [\d.]+ s\.$/m)
      const written = [await write(key), await write(key)]
      proxy.letConnect()
      await child.until(new RegExp(String(written[1])))
      written.push(await write(key))
      await child.until(new RegExp(String(written[2])))
      proxy.cut()
      written.push(await write(key))
      proxy.letConnect()
      await child.until(new RegExp(String(written[3])))
      assert.deepEqual(subjectsIn(child.out()), written)
      child.kill('SIGTERM')
      assert.equal(await child.ended, 0)
    }
  })

  await t.test('--since begins with earlier events and continues without a gap or a duplicate', async () => {
    const key = await newKey()
    const hourAgo = new Date(Date.now() - 3_600_000)
    for (let index = 0; index < 3; index += 1) await write(key, { at: hourAgo })
    const written: string[] = []
    for (let index = 0; index < 205; index += 1) written.push(await write(key))
    await untilEventsVisible(service.db)
    proxy.before('/events/stream', async () => {
      written.push(await write(key), await write(key))
      await untilEventsVisible(service.db)
    })
    receiver.received.length = 0
    const child = await listen(key, ['--since', '10m', '--forward-to', receiver.url], throughProxy(key))
    written.push(await write(key))
    await child.until(new RegExp(String(written.at(-1))))
    await receiver.until(written.length)
    assert.deepEqual(subjectsIn(child.out()), written)
    assert.deepEqual(receiver.received.map(subjectOf), written)
    const bodies = receiver.received.map(({ body }) => body)
    const { text } = await service.request('GET', '/events?limit=100', { token: key.token })
    for (const body of bodies.slice(0, 90)) assert.ok(text.includes(body), 'the same bytes as a webhook')
    child.kill('SIGINT')
    await child.ended
  })

  await t.test('--since of an account without events gets an event that happens before the stream starts', async () => {
    const key = await newKey()
    let subject = ''
    proxy.before('/events/stream', async () => {
      subject = await write(key)
      await untilEventsVisible(service.db)
    })
    const child = await listen(key, ['--since', '1h'], throughProxy(key))
    await child.until(new RegExp(subject))
    const next = await write(key)
    await child.until(new RegExp(next))
    assert.deepEqual(subjectsIn(child.out()), [subject, next])
    child.kill('SIGINT')
    await child.ended
  })

  await t.test('retries a failing receiver a few times, then continues with the next event, in order', async () => {
    const key = await newKey()
    receiver.received.length = 0
    let bad = ''
    let failures = 0
    receiver.behave((response, message) => {
      const fails = subjectOf(message) === bad || failures > 0
      if (subjectOf(message) !== bad) failures -= 1
      if (fails) response.writeHead(500).end('wrong\n\u001b[31msecret')
      else answering(204)(response, message)
    })
    const child = await listen(key, ['--forward-to', receiver.url])
    bad = await write(key)
    failures = 1
    const later = [await write(key), await write(key)]
    await child.until(new RegExp(`${later[1]}[\\s\\S]*delivered`))
    const [first, last] = later
    assert.deepEqual(receiver.received.map(subjectOf), [bad, bad, bad, bad, first, first, last])
    assert.match(
      child.out(),
      /failed: status 500 \(wrong \\u\{1b\}\[31msecret\) in \d+ ms\. Retrying in 0\.5 s\n[\s\S]*Not retried after 4 attempts\n/,
    )
    assert.match(child.out(), /failed: status 500[^\n]*\n {2}delivered: status 204 in \d+ ms\n/)
    receiver.behave(answering(200))
    child.kill('SIGINT')
    assert.equal(await child.ended, 0)
  })

  await t.test('ends with the reason when the key is revoked', async () => {
    const key = await newKey()
    const child = await listen(key)
    await service.request('DELETE', `/api/api-keys/${key.id}`, { token: key.token })
    assert.equal(await child.ended, 1)
    assert.match(child.err(), /status 401\)\n[\s\S]*The key in PLATEN_API_KEY was revoked or has expired/)
  })

  await t.test('--type selects event types, and a given --secret signs', async () => {
    const key = await newKey()
    receiver.received.length = 0
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const args = ['--type', 'order.shipped', 'order.delivered', '--forward-to', receiver.url, '--secret', secret]
    const child = await listen(key, args)
    await write(key)
    const wanted = [await write(key, { type: 'order.shipped' }), await write(key, { type: 'order.delivered' })]
    await receiver.until(2)
    assert.deepEqual(receiver.received.map(subjectOf), wanted)
    for (const { body, headers } of receiver.received)
      new Webhook(secret).verify(body, headers as Record<string, string>)
    child.kill('SIGINT')
    assert.equal(await child.ended, 0)
  })

  await t.test('refuses values that cannot be meant, and reports why it cannot start', async () => {
    const { env } = await newKey()
    const wrong: [string[], RegExp][] = [
      [['--type', 'order.eaten'], /event type 'order\.eaten' is unknown/],
      [['--since', 'yesterday'], /--since 'yesterday' is neither a time/],
      [['--since', '2026-13-40'], /is neither a time/],
      [['--forward-to', 'localhost:3000'], /--forward-to must be a URL/],
      [['--forward-to', 'http://127.0.0.1:1', '--secret', 'whsec_c2hvcnQ='], /24 to 64 bytes/],
      [['--secret', `whsec_${Buffer.alloc(32).toString('base64')}`], /Name it with --forward-to/],
    ]
    for (const [args, message] of wrong) {
      const { code, err } = await run(['listen', ...args], env)
      assert.deepEqual([code, message.test(err)], [2, true], `${args}: ${err}`)
    }
    const unreachable = await run(['listen'], { ...env, PLATEN_URL: 'http://127.0.0.1:1' })
    assert.equal(unreachable.code, 1)
    assert.match(unreachable.err, /^platen: Could not reach http:\/\/127\.0\.0\.1:1: /)
    const keyless = await run(['listen'])
    assert.deepEqual([keyless.code, keyless.err.includes('Run "platen login", or set PLATEN_API_KEY.')], [1, true])
    const weak = await newKey({ permissions: ['orders:read'] })
    const refused = await run(['listen'], weak.env)
    assert.deepEqual([refused.code, /insufficient_scope[\s\S]*^permission: \S/m.test(refused.err)], [1, true])
  })
})
