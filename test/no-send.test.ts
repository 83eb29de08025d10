import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type Shop, startShop } from '../src/orders/factory.ts'
import { enqueue } from '../src/platform/jobs/jobs.ts'
import { LOOPBACK } from '../src/webhooks/factory.ts'
import { startMailServer } from './fakes/mail-server.ts'
import { startStripe } from './fakes/stripe/stripe.ts'
import { startWebhookReceiver } from './fakes/webhook-receiver.ts'
import { createDatabase, startService, temporaryDir } from './harness.ts'
import { until } from './lib/until.ts'

/** Causes a mail to a new account, mails and webhooks about an order, and a payment. */
async function causeEverything({ service, signUpKey, order, request }: Shop, receiver: string) {
  await request('POST', '/api/auth/register', { body: { email: 'new@example.com', password: 'a quiet lake at dusk' } })
  const person = await signUpKey('customer', ['read', 'write'])
  const { token } = person
  const endpoint = await request('POST', '/webhook-endpoints', { token, body: { url: `${receiver}/hook` } })
  assert.equal(endpoint.status, 201, endpoint.text)
  const { order: ordered } = await order({ person })
  const paid = await request('POST', `/orders/${ordered.id}/pay`, { token, body: { token: 'pm_card_visa' } })
  return { service, paid }
}

async function jobsNamed({ db }: Shop, name: string): Promise<{ attempts: number; locked: boolean }[]> {
  const { rows } = await sql<{ attempts: number; locked: boolean }>`
    select attempts, locked_at is not null as locked from graphile_worker.jobs where task_identifier = ${name}`.execute(
    db,
  )
  return rows
}

test('while sending is off, mails, webhooks and payments wait, and are made when it is on again', async (t) => {
  const [mails, stripe, receiver] = [await startMailServer(t), await startStripe(t), await startWebhookReceiver(t)]
  const database = await createDatabase(t)
  const dataDir = await temporaryDir(t)
  const env = { ...stripe.env, ...LOOPBACK, PLATEN_SMTP_URL: mails.url }
  const shop = await startShop(t, undefined, { database, dataDir, env: { ...env, PLATEN_SEND: 'off' } })
  shop.service.startJobs()
  const { paid } = await causeEverything(shop, receiver.url)
  assert.equal(paid.status, 503, paid.text)

  // Jobs that send nothing run, so those that send would have run, too.
  for (const name of ['messages.deliver', 'orders.send_mails']) {
    await until(`a job ${name}`, async () => (await jobsNamed(shop, name)).length > 0)
  }
  await enqueue(shop.db, 'idempotency.prune', {})
  await until('other jobs to run', async () => (await jobsNamed(shop, 'idempotency.prune')).length === 0)
  for (const name of ['messages.deliver', 'orders.send_mails']) {
    for (const job of await jobsNamed(shop, name)) assert.deepEqual(job, { attempts: 0, locked: false }, name)
  }
  assert.equal(shop.service.services.webhooks.engine, undefined)
  assert.deepEqual([mails.received, receiver.received, stripe.requests], [[], [], []])
  const { accessToken: token } = await shop.service.signUp({ role: 'admin' })
  const { body } = await shop.request('GET', '/system/configuration', { token })
  assert.ok(body.warnings.includes('sending_off'))
  assert.match(shop.service.logLines(), /PLATEN_SEND is off/)

  const sending = await startService(t, { database, dataDir, env })
  sending.startJobs()
  await until('the mail to the new account', () => mails.received.some(({ to }) => to.includes('new@example.com')))
  await receiver.until(1)
})
