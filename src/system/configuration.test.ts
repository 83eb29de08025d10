import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startStripe } from '../../test/fakes/stripe/stripe.ts'
import { startService } from '../../test/harness.ts'

async function read(t: TestContext, env: Record<string, string>) {
  const service = await startService(t, { env })
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const get = () => service.request('GET', '/system/configuration', { token })
  return { service, get, body: (await get()).body }
}

test('administrators read the URLs and origins of the environment, and what is wrong with them', async (t) => {
  const { body } = await read(t, {
    PLATEN_SHOP_URL: 'https://shop.example.com',
    PLATEN_CORS_ORIGINS: 'https://*.example.com',
    PLATEN_REDIRECT_URIS: 'https://app.example.com/done',
  })
  assert.deepEqual(body, {
    payments: { provider: 'test', mode: 'test', webhookUrl: null, lastWebhookAt: null },
    domains: {
      publicUrl: 'http://platen.localhost',
      shopUrl: 'https://shop.example.com',
      corsOrigins: ['https://app.example.com', 'https://*.example.com'],
      redirectUris: ['https://app.example.com/done'],
      passkeyDomain: 'platen.localhost',
      passkeyOrigins: ['http://platen.localhost'],
    },
    warnings: ['shop_without_passkeys'],
  })
  const { body: strange } = await read(t, { PLATEN_SHOP_URL: 'https://shop.example.com' })
  assert.deepEqual(strange.warnings, ['shop_origin_not_allowed', 'shop_without_passkeys'])
})

test('the state of Stripe names its webhook URL and mode, and no secret', async (t) => {
  const [secretKey, webhookSecret] = ['sk_live_secretofstripe', 'whsec_secretofwebhook']
  const { service, get, body } = await read(t, {
    PLATEN_PAYMENT_PROVIDER: 'stripe',
    PLATEN_STRIPE_SECRET_KEY: secretKey,
    PLATEN_STRIPE_WEBHOOK_SECRET: webhookSecret,
    PLATEN_STRIPE_API_URL: 'http://127.0.0.1:9',
  })
  const webhookUrl = 'http://platen.localhost/v1/payments/stripe/webhook'
  assert.deepEqual(body.payments, { provider: 'stripe', mode: 'live', webhookUrl, lastWebhookAt: null })
  assert.deepEqual(body.warnings, ['payment_webhook_never_received'])
  assert.ok(![secretKey, webhookSecret].some((secret) => JSON.stringify(body).includes(secret)))

  const message = JSON.stringify({ id: 'evt_1', object: 'event', type: 'ping', data: { object: {} } })
  const send = (signature: string) =>
    fetch(`${service.baseUrl}/payments/stripe/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body: message,
    })
  assert.equal((await send('t=1,v1=00')).status, 400)
  assert.equal((await get()).body.payments.lastWebhookAt, null)
  const { default: Stripe } = await import('stripe')
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: message, secret: webhookSecret })
  assert.equal((await send(signature)).status, 200)
  const { payments, warnings } = (await get()).body
  assert.ok(payments.lastWebhookAt !== null)
  assert.deepEqual(warnings, [])
})

test('the state of Stripe says whether its key may read disputes', async (t) => {
  const [allowed, restricted] = [await startStripe(t), await startStripe(t)]
  assert.deepEqual((await read(t, allowed.env)).body.warnings, ['payment_webhook_never_received'])
  restricted.fail('listDisputes', 'before', 403)
  const { body, get } = await read(t, restricted.env)
  assert.deepEqual(body.warnings, ['payment_webhook_never_received', 'payment_disputes_unavailable'])
  // The outcome is reused, so that no page makes many requests to Stripe.
  assert.deepEqual((await get()).body.warnings, body.warnings)
})
