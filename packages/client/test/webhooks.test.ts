import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startWebhookScene } from '../../../src/webhooks/factory.ts'
import { createPlaten } from '../src/index.ts'
import { verifyWebhook, verifyWebhookRequest, type WebhookInput } from '../src/webhooks.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
const body = JSON.stringify({ id: 'evt_1', type: 'order.shipped', subject: 'ord_1' })
const now = () => Math.floor(Date.now() / 1000)

function sign(key: string, { timestamp = now(), id = 'evt_1', text = body } = {}): string {
  const bytes = Buffer.from(key.replace('whsec_', ''), 'base64')
  return `v1,${createHmac('sha256', bytes).update(`${id}.${timestamp}.${text}`).digest('base64')}`
}

function input(change: Partial<WebhookInput> = {}, signature = sign(secret), timestamp = now()): WebhookInput {
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
  return { body, headers, secret, ...change }
}

test('a genuine request is an event, with several signatures and during a change of the secret', async () => {
  assert.equal((await verifyWebhook(input())).type, 'order.shipped')
  const next = newSecret()
  await verifyWebhook(input({}, `${sign(next)} ${sign(secret)}`))
  await verifyWebhook(input({ secret: [next, secret] }))
  await verifyWebhook(input({ body: new TextEncoder().encode(body) }))
  await verifyWebhook(input({ body: new TextEncoder().encode(body).buffer }))
  const listed = Object.entries(input().headers).map(([name, value]) => [name, [String(value)]])
  await verifyWebhook(input({ headers: Object.fromEntries(listed) }))
  const { headers, ...rest } = input()
  await verifyWebhookRequest(
    new Request('http://shop.localhost', { method: 'POST', body, headers: headers as Record<string, string> }),
    { secret: rest.secret },
  )
})

test('a request with another body, secret, id, version or no signature is refused', async () => {
  const refused = { name: 'WebhookVerificationError', code: 'signature_mismatch' }
  await assert.rejects(verifyWebhook(input({ body: body.replace('shipped', 'created') })), refused)
  await assert.rejects(verifyWebhook(input({ secret: newSecret() })), refused)
  await assert.rejects(verifyWebhook(input({}, sign(secret, { id: 'evt_2' }))), refused)
  await assert.rejects(verifyWebhook(input({}, sign(secret).replace('v1', 'v2'))), refused)
  for (const signature of ['v1', 'v1,', 'v1,%%%', 'x'])
    await assert.rejects(verifyWebhook(input({}, signature)), refused)
  await assert.rejects(verifyWebhook(input({ headers: {} })), { code: 'header_missing' })
})

test('a genuine request is refused when its timestamp is too old, too new or no number', async () => {
  const refused = { code: 'timestamp_outside_tolerance' }
  for (const timestamp of [now() - 400, now() + 400, Number.NaN])
    await assert.rejects(verifyWebhook(input({}, sign(secret, { timestamp }), timestamp)), refused)
  const old = now() - 400
  await verifyWebhook(input({ toleranceSeconds: 600 }, sign(secret, { timestamp: old }), old))
})

test('an empty secret is an error of the program', async () => {
  for (const empty of ['', 'whsec_', 'whsec_%', []])
    await assert.rejects(verifyWebhook(input({ secret: empty }, sign('whsec_'))), TypeError)
})

test('a parsed body and a missing secret are errors of the program that name the mistake', async () => {
  const parsed = { name: 'TypeError', message: /^body must be the bytes or the text as received, not parsed JSON$/ }
  for (const wrong of [JSON.parse(body), undefined, null])
    await assert.rejects(verifyWebhook({ ...input(), body: wrong }), parsed)
  const missing = { name: 'TypeError', message: 'secret is missing' }
  for (const wrong of [undefined, null, '', [secret, undefined]] as unknown as string[])
    await assert.rejects(verifyWebhook({ ...input(), secret: wrong, headers: {} }), missing)
})

test('the requests of the service are genuine', async (t) => {
  const { service, receiver, signUp } = await startWebhookScene(t)
  const platen = createPlaten({ url: service.origin, auth: { apiKey: (await signUp()).token } })
  const endpoint = await platen.webhookEndpoints.create({ url: `${receiver.url}/hook` })
  await platen.webhookEndpoints.test(endpoint.id)
  await receiver.until(1)
  const [message] = receiver.received
  assert.ok(message)
  const event = await verifyWebhook({ body: message.body, headers: message.headers, secret: endpoint.secret ?? '' })
  assert.ok(event.type === 'webhook.test' && event.subject === endpoint.id)
})
